#include "axelram/trellis.hpp"
#include "round_scores.hpp"
#include "scores/score/arguments.hpp"
#include "simd/level_units.hpp"

namespace axelram::portable {
namespace {

template <int index_bits, bool trellis>
std::int32_t dot_one(const DotQuery& query, const std::uint8_t* record) {
  std::int32_t sum = 0;
  unsigned state = 0;
  for (int i = 0; i < query.head_dim; i += 8, record += index_bits) {
    std::uint32_t bits = 0;
    for (int byte = 0; byte < index_bits; ++byte)
      bits |= static_cast<std::uint32_t>(record[byte]) << (8 * byte);
    for (int j = 0; j < 8; ++j) {
      const std::uint32_t index = (bits >> (j * index_bits)) & ((1u << index_bits) - 1);
      std::uint32_t level = index;
      if (trellis) {
        level = 4 * (index >> 1) +
                static_cast<unsigned>(trellis_subset(query.states, state, index & 1U));
        state = 2 * state + (index & 1U);
      }
      sum += query.u[i + j] * query.centroids[level];
    }
  }
  return sum;
}

}  // namespace

void dot(const DotQuery& query, const Records& records, std::int32_t* acc) {
  const bool trellis = query.states != 0;
  const auto one = query.index_bits == 1   ? (trellis ? dot_one<1, true> : dot_one<1, false>)
                   : query.index_bits == 2 ? (trellis ? dot_one<2, true> : dot_one<2, false>)
                   : query.index_bits == 3 ? (trellis ? dot_one<3, true> : dot_one<3, false>)
                                           : (trellis ? dot_one<4, true> : dot_one<4, false>);
  for (std::size_t k = 0; k < records.count; ++k)
    acc[k] = one(query, records.first + k * records.stride);
}

void round_direct(const std::int32_t* acc, const ScoreRounding& rounding) {
  round_scores_direct(acc, rounding);
}

std::size_t round_any(const std::int64_t* acc, const ScoreRounding& rounding) {
  return round_scores_any(acc, rounding);
}

void round_sums(const SumRounding& rounding) { round_score_sums(rounding); }

}  // namespace axelram::portable
