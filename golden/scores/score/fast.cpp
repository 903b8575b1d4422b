#include <algorithm>
#include <cstdint>

#include "axelram/fast_scores.hpp"
#include "axelram/record.hpp"
#include "query_dot.hpp"
#include "scores/score/arguments.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"

namespace axelram {
namespace {

// Limits of round_direct: below, products could underflow to zero; above, pass FLT_MAX.
constexpr int kMinDirectExponent = -125;
constexpr int kMaxDirectExponent = 86;
// Beyond +-400 every nonzero score underflows or saturates, as it does at +-400.
constexpr int kExponentLimit = 400;

/// Gathered after the sums: by then the records lie in the first-level cache, and the wide loads of
/// the sums are what waited for memory.
void gather_norms(const Records& records, std::uint16_t* norms) {
  const std::uint8_t* norm = records.first + records.stride - 2;
  for (std::size_t k = 0; k < records.count; ++k, norm += records.stride)
    norms[k] = static_cast<std::uint16_t>(norm[0] | norm[1] << 8);
}

std::size_t score_chunk(const LevelUnits& units, const QueryDot& dot, int exponent,
                        const Records& records, float* scores, std::int64_t* acc) {
  std::uint16_t norms[kChunk];
  const ScoreRounding rounding{norms, records.count, exponent, scores};
  std::int64_t wide[kChunk];
  if (dot.narrow()) {
    std::int32_t sums[kChunk];
    dot.sums(records, sums);
    if (exponent >= kMinDirectExponent && exponent <= kMaxDirectExponent) {
      gather_norms(records, norms);
      units.round_direct(sums, rounding);
      if (acc != nullptr) std::copy(sums, sums + records.count, acc);
      return 0;
    }
    std::copy(sums, sums + records.count, wide);
  } else {
    dot.sums(records, wide);
  }
  if (acc != nullptr) std::copy(wide, wide + records.count, acc);
  gather_norms(records, norms);
  return units.round_any(wide, rounding);
}

}  // namespace

std::size_t score_keys(const ScoreQuery& query, const std::uint8_t* records, std::size_t count,
                       float* scores, std::int64_t* acc, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  const LevelUnits& units = level_units(level);
  const QueryDot dot(units, query.u, query.head_dim, query.centroids, query.index_bits,
                     query.states);
  const int exponent = std::clamp(query.exponent, -kExponentLimit, kExponentLimit);
  const auto stride = static_cast<std::size_t>(record_bytes(query.head_dim, query.index_bits));
  const std::uint8_t* end = records + count * stride;
  std::size_t saturated = 0;
  for (std::size_t first = 0; first < count; first += kChunk) {
    const Records chunk{records + first * stride, stride, std::min(kChunk, count - first), end};
    saturated += score_chunk(units, dot, exponent, chunk, scores + first,
                             acc == nullptr ? nullptr : acc + first);
  }
  return saturated;
}

}  // namespace axelram
