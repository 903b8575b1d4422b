#include "simd/floats.hpp"
#include "simd/level_units.hpp"
#include "tiers/float_row/arguments.hpp"

/// Products and weighted sums of FP32 rows, in the orders of float_row.hpp.

namespace axelram::AXELRAM_LEVEL {
namespace {

/// Of a query with `rows` rows side by side.
template <int rows>
void dot(const FloatRowScores& of, const float* query, const float* x, float* scores) {
  Floats sums[rows][kSumRegisters];
#pragma GCC unroll 4
  for (int k = 0; k < rows; ++k)
    for (std::size_t r = 0; r < kSumRegisters; ++r) sums[k][r] = no_floats();
  for (std::size_t c = 0; c < of.d; c += kSumLanes)
#pragma GCC unroll 2
    for (std::size_t r = 0; r < kSumRegisters; ++r) {
      const Floats q = load_floats(query + c + r * kFloats);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < rows; ++k)
        sums[k][r] = multiply_add(q, load_floats(x + k * of.d + c + r * kFloats), sums[k][r]);
    }
#pragma GCC unroll 4
  for (int k = 0; k < rows; ++k) scores[k] = sum_lanes(sums[k]);
}

template <int registers>
void add_rows(const FloatRowSums& of, const float* weights, std::size_t first, float* sums) {
  Floats held[registers];
#pragma GCC unroll 4
  for (std::size_t r = 0; r < registers; ++r) held[r] = load_floats(sums + first + r * kFloats);
  const float* row = of.x + first;
  for (std::size_t t = 0; t < of.row_count; ++t, row += of.d) {
    const Floats weight = broadcast(weights[t]);
#pragma GCC unroll 4
    for (std::size_t r = 0; r < registers; ++r)
      held[r] = multiply_add(weight, load_floats(row + r * kFloats), held[r]);
  }
#pragma GCC unroll 4
  for (std::size_t r = 0; r < registers; ++r) store_floats(sums + first + r * kFloats, held[r]);
}

}  // namespace

void score_rows(const FloatRowScores& of) {
  constexpr std::size_t kTogether = 4;
  for (std::size_t i = 0; i < of.count; ++i) {
    const float* const query = of.queries + i * of.query_stride;
    float* const scores = of.scores + i * of.score_stride;
    std::size_t t = 0;
    for (; t + kTogether <= of.row_count; t += kTogether)
      dot<kTogether>(of, query, of.x + t * of.d, scores + t);
    for (; t < of.row_count; ++t) dot<1>(of, query, of.x + t * of.d, scores + t);
  }
}

void sum_rows(const FloatRowSums& of) {
  constexpr std::size_t kMany = 4, kFew = 32 / kFloats;
  for (std::size_t i = 0; i < of.to.count; ++i) {
    const float* const weights = of.to.weights + i * of.to.weight_stride;
    float* const sums = of.to.sums + i * of.to.sum_stride;
    std::size_t c = 0;
    for (; c + kMany * kFloats <= of.d; c += kMany * kFloats) add_rows<kMany>(of, weights, c, sums);
    for (; c < of.d; c += kFew * kFloats) add_rows<kFew>(of, weights, c, sums);
  }
}

}  // namespace axelram::AXELRAM_LEVEL
