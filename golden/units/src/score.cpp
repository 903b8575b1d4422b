#include "axelram/score.hpp"

#include <cstring>
#include <vector>

#include "axelram/half.hpp"
#include "axelram/record.hpp"
#include "axelram/rounding.hpp"
#include "axelram/score_table.hpp"
#include "axelram/trellis.hpp"

namespace axelram {

std::int64_t accumulate_ref(const std::int32_t* table, int d, int levels,
                            const std::uint8_t* indices) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += table[i * levels + indices[i]];
  return sum;
}

float score_ref(std::int64_t acc, std::uint16_t norm, int e_u, bool* saturated) {
  constexpr std::uint32_t kSign = 0x80000000;
  constexpr std::uint32_t kFltMax = 0x7F7FFFFF;
  constexpr std::uint64_t kMaxSignificand = 0xFFFFFF;  // FLT_MAX = (2^24 - 1) * 2^104
  constexpr int kMaxExponent = 104;

  const NormValue value = decode_norm(norm);
  const std::int64_t scaled = acc * value.significand;
  const auto magnitude = static_cast<std::uint64_t>(scaled < 0 ? -scaled : scaled);
  const int exponent = e_u + value.exponent;

  *saturated = exceeds(magnitude, exponent, kMaxSignificand, kMaxExponent);
  std::uint32_t bits =
      *saturated ? kFltMax : static_cast<std::uint32_t>(encode_rne(magnitude, exponent, 23, 127));
  if (scaled < 0) bits |= kSign;
  float score;
  std::memcpy(&score, &bits, sizeof score);
  return score;
}

std::size_t score_keys_ref(const ScoreQuery& query, const std::uint8_t* records, std::size_t count,
                           float* scores, std::int64_t* acc) {
  const int d = query.head_dim;
  const int levels = (query.states != 0 ? 2 : 1) << query.index_bits;
  std::vector<std::int32_t> table(static_cast<std::size_t>(d * levels));
  score_table_ref(query.u, d, query.centroids, levels, table.data());
  std::vector<std::uint8_t> indices(static_cast<std::size_t>(d));
  std::size_t saturations = 0;
  for (std::size_t k = 0; k < count; ++k, records += record_bytes(d, query.index_bits)) {
    std::uint16_t norm = 0;
    unpack_record_ref(records, d, query.index_bits, indices.data(), &norm);
    if (query.states != 0) trellis_level_ref(indices.data(), d, query.states, indices.data());
    const std::int64_t sum = accumulate_ref(table.data(), d, levels, indices.data());
    if (acc != nullptr) acc[k] = sum;
    bool saturated = false;
    scores[k] = score_ref(sum, norm, query.exponent, &saturated);
    saturations += saturated ? 1 : 0;
  }
  return saturations;
}

}  // namespace axelram
