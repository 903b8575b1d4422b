#include <immintrin.h>

#include "simd/level_units.hpp"

/// Apart from the AVX-512 source: without its permutations every threshold is compared. Sizes are
/// multiples of 32 elements.

namespace axelram::avx2 {
namespace {

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

/// Number of thresholds below each of 8 elements.
template <int count>
__m256i index_of(const std::int32_t* y, const std::int32_t* thresholds) {
  const __m256i value = load(y);
  __m256i index = _mm256_setzero_si256();
#pragma GCC unroll 15
  for (int j = 0; j < count; ++j)
    index = _mm256_sub_epi32(index, _mm256_cmpgt_epi32(value, _mm256_set1_epi32(thresholds[j])));
  return index;
}

template <int count>
void quantize_all(const std::int32_t* y, int d, const std::int32_t* thresholds,
                  std::uint8_t* indices) {
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  for (int i = 0; i < d; i += 32) {
    const __m256i low = _mm256_packus_epi32(index_of<count>(y + i, thresholds),
                                            index_of<count>(y + i + 8, thresholds));
    const __m256i high = _mm256_packus_epi32(index_of<count>(y + i + 16, thresholds),
                                             index_of<count>(y + i + 24, thresholds));
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(indices + i), bytes);
  }
}

}  // namespace

void quantize(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,
              std::uint8_t* indices) {
  if (count == 1) return quantize_all<1>(y, d, thresholds, indices);
  if (count == 3) return quantize_all<3>(y, d, thresholds, indices);
  if (count == 7) return quantize_all<7>(y, d, thresholds, indices);
  quantize_all<15>(y, d, thresholds, indices);
}

}  // namespace axelram::avx2
