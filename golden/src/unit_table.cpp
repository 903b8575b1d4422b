#include "unit_table.hpp"

#include <vector>

#include "axelram/score.hpp"
#include "axelram/score_table.hpp"

namespace axelram {
namespace {

constexpr UnitTable kReference{align_ref,       center_ref,    square_sum_ref, root_ref,
                               norm_ref,        rotate_ref,    quantize_ref,   pack_record_ref,
                               round_query_ref, score_keys_ref};

/// The fast unit on the default level, in the shape of its twin.
template <auto unit>
constexpr auto on_default_level =
    [](auto... arguments) { return unit(arguments..., simd_level()); };

constexpr UnitTable kFast{
    on_default_level<align>,
    on_default_level<center>,
    on_default_level<square_sum>,
    root,
    norm,
    on_default_level<rotate>,
    on_default_level<quantize>,
    on_default_level<pack_record>,
    round_query,
    [](const ScoreQuery& query, const std::uint8_t* records, std::size_t count, float* scores,
       std::int64_t* acc) { return score_keys(query, records, count, scores, acc); }};

}  // namespace

std::size_t score_keys_ref(const ScoreQuery& query, const std::uint8_t* records, std::size_t count,
                           float* scores, std::int64_t* acc) {
  const int d = query.head_dim;
  const int levels = 1 << query.index_bits;
  std::vector<std::int32_t> table(static_cast<std::size_t>(d * levels));
  score_table_ref(query.u, d, query.centroids, levels, table.data());
  std::vector<std::uint8_t> indices(static_cast<std::size_t>(d));
  std::size_t saturations = 0;
  for (std::size_t k = 0; k < count; ++k, records += record_bytes(d, query.index_bits)) {
    std::uint16_t norm = 0;
    unpack_record_ref(records, d, query.index_bits, indices.data(), &norm);
    const std::int64_t sum = accumulate_ref(table.data(), d, levels, indices.data());
    if (acc != nullptr) acc[k] = sum;
    bool saturated = false;
    scores[k] = score_ref(sum, norm, query.exponent, &saturated);
    saturations += saturated ? 1 : 0;
  }
  return saturations;
}

const UnitTable& unit_table(Units units) { return units == Units::fast ? kFast : kReference; }

}  // namespace axelram
