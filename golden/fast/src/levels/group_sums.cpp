#include "../level_units.hpp"
#include "../tier_reads.hpp"
#include "eight.hpp"

/// Weighted sums of FP32 rows by groups: channels in the lanes, sums of a query in registers.

namespace axelram::AXELRAM_LEVEL {
namespace {

/// Eight channels of a row, times a weight, and a sum of eight.
template <bool fused>
inline __m256 added(__m256 weight, __m256 x, __m256 sum) {
  if constexpr (fused) return _mm256_fmadd_ps(weight, x, sum);
  return _mm256_add_ps(sum, _mm256_mul_ps(weight, x));
}

/// `registers` * 8 channels of all rows for one query. group: 1, or 0 for of.group.
template <bool fused, std::size_t group, int registers>
void add_channels(const GroupSums& of, const float* weights, const float* x, double* sums) {
  const std::size_t together = group == 0 ? of.group : group;
  Eight held[registers];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < registers; ++r) held[r] = load_eight(sums + r * kEightLanes);
  for (std::size_t t = 0; t < of.row_count;) {
    __m256 part[registers];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < registers; ++r) part[r] = _mm256_setzero_ps();
    const std::size_t end = of.row_count - t < together ? of.row_count : t + together;
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

template <bool fused, std::size_t group>
void add_rows(const GroupSums& of) {
  constexpr int kFew = 4, kMany = kRegisters >= 32 ? 8 : kFew;
  const int together = of.d % (kMany * kEightLanes) == 0 ? kMany : kFew;
  for (std::size_t i = 0; i < of.count; ++i)
    for (std::size_t c = 0; c < of.d; c += static_cast<std::size_t>(together) * kEightLanes) {
      const float* const weights = of.weights + i * of.weight_stride;
      double* const sums = of.sums + i * of.sum_stride + c;
      if (together == kMany)
        add_channels<fused, group, kMany>(of, weights, of.x + c, sums);
      else
        add_channels<fused, group, kFew>(of, weights, of.x + c, sums);
    }
}

template <bool fused>
void add_groups(const GroupSums& of) {
  if (of.group == 1) return add_rows<fused, 1>(of);
  add_rows<fused, 0>(of);
}

}  // namespace

void sum_groups(const GroupSums& of) {
  if (of.fused) return add_groups<true>(of);
  add_groups<false>(of);
}

}  // namespace axelram::AXELRAM_LEVEL
