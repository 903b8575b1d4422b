#include <immintrin.h>

#include "simd/level_units.hpp"

/// Quantizer and packing of indices, apart from the AVX-512 source: without its permutations every
/// threshold is compared, and BMI2 packs the indices. Sizes are multiples of 32 elements.

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

template <int index_bits>
void pack_all(const std::uint8_t* indices, int d, std::uint8_t* record) {
  constexpr std::uint64_t kMask = 0x0101010101010101u * ((1u << index_bits) - 1);
  for (int i = 0; i < d; i += 8, record += index_bits) {
    std::uint64_t bytes;
    __builtin_memcpy(&bytes, indices + i, sizeof bytes);
    const std::uint64_t bits = _pext_u64(bytes, kMask);
    __builtin_memcpy(record, &bits, index_bits);
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

void pack(const std::uint8_t* indices, int d, int index_bits, std::uint8_t* record) {
  if (index_bits == 1) return pack_all<1>(indices, d, record);
  if (index_bits == 2) return pack_all<2>(indices, d, record);
  if (index_bits == 3) return pack_all<3>(indices, d, record);
  pack_all<4>(indices, d, record);
}

}  // namespace axelram::avx2
