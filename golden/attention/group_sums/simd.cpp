#include "attention/group_sums/arguments.hpp"
#include "simd/eight.hpp"
#include "simd/level_units.hpp"

/// Weighted sums of FP32 rows by groups: channels in the lanes, sums of a query in registers.

namespace axelram::AXELRAM_LEVEL {
namespace {

/// Eight channels of a row, times a weight, and a sum of eight.
template <bool fused>
__m256 added(__m256 weight, __m256 x, __m256 sum) {
  if constexpr (fused) return _mm256_fmadd_ps(weight, x, sum);
  return _mm256_add_ps(sum, _mm256_mul_ps(weight, x));
}

/// `registers` * 8 channels of all rows for one query; each row is a group.
template <int registers>
void add_single_rows(const GroupSums& of, const float* weights, const float* x, double* sums) {
  Eight held[registers];
  // A product is added to +0 first, which differs from the product alone in one case: -0 to a sum
  // of -0.
  const Eight zero = widened(_mm256_setzero_ps());
#pragma GCC unroll 8
  for (std::size_t r = 0; r < registers; ++r)
    held[r] = add(load_eight(sums + r * kEightLanes), zero);
  for (std::size_t t = 0; t < of.row_count; ++t, x += of.d) {
    const __m256 weight = _mm256_set1_ps(weights[t]);
#pragma GCC unroll 8
    for (std::size_t r = 0; r < registers; ++r)
      held[r] = add(held[r], widened(_mm256_mul_ps(weight, _mm256_loadu_ps(x + r * kEightLanes))));
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < registers; ++r) store_eight(sums + r * kEightLanes, held[r]);
}

/// The same with groups of of.group rows.
template <bool fused, int registers>
void add_channels(const GroupSums& of, const float* weights, const float* x, double* sums) {
  Eight held[registers];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < registers; ++r) held[r] = load_eight(sums + r * kEightLanes);
  for (std::size_t t = 0; t < of.row_count;) {
    __m256 part[registers];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < registers; ++r) part[r] = _mm256_setzero_ps();
    const std::size_t end = of.row_count - t < of.group ? of.row_count : t + of.group;
    for (; t < end; ++t, x += of.d) {
      const __m256 weight = _mm256_set1_ps(weights[t]);
#pragma GCC unroll 8
      for (std::size_t r = 0; r < registers; ++r)
        part[r] = added<fused>(weight, _mm256_loadu_ps(x + r * kEightLanes), part[r]);
    }
#pragma GCC unroll 8
    for (std::size_t r = 0; r < registers; ++r) held[r] = add(held[r], widened(part[r]));
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < registers; ++r) store_eight(sums + r * kEightLanes, held[r]);
}

template <bool fused, int registers>
void add_rows(const GroupSums& of) {
  for (std::size_t i = 0; i < of.count; ++i)
    for (std::size_t c = 0; c < of.d; c += std::size_t{registers} * kEightLanes) {
      const float* const weights = of.weights + i * of.weight_stride;
      double* const sums = of.sums + i * of.sum_stride + c;
      if (of.group == 1 && of.row_count > 0)
        add_single_rows<registers>(of, weights, of.x + c, sums);
      else
        add_channels<fused, registers>(of, weights, of.x + c, sums);
    }
}

template <bool fused>
void add_groups(const GroupSums& of) {
  constexpr int kFew = 4, kMany = kRegisters >= 32 ? 8 : kFew;
  if (of.d % (kMany * kEightLanes) == 0) return add_rows<fused, kMany>(of);
  add_rows<fused, kFew>(of);
}

}  // namespace

void sum_groups(const GroupSums& of) {
  if (of.fused) return add_groups<true>(of);
  add_groups<false>(of);
}

}  // namespace axelram::AXELRAM_LEVEL
