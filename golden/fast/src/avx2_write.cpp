#include <immintrin.h>

#include "kernels.hpp"

/// The write path in 256-bit registers. Sizes are multiples of 32 elements.

namespace axelram::avx2 {
namespace {

__m256i load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

__m128i load_half(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }

/// 2^exponent in two factors, which together reach every power that a bfloat16 vector needs.
struct Power {
  explicit Power(int exponent)
      : first(_mm256_set1_ps(two_to(exponent / 2))),
        second(_mm256_set1_ps(two_to(exponent - exponent / 2))) {}

  static float two_to(int exponent) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(exponent + 127) << 23);
  }

  __m256 first;
  __m256 second;
};

/// m = RNE(value * power). The scaled value is exact, or far below 1/2.
void scale_and_store(__m256 value, const Power& power, std::int32_t* m) {
  const __m256 scaled = _mm256_mul_ps(_mm256_mul_ps(value, power.first), power.second);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(m), _mm256_cvtps_epi32(scaled));
}

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

std::uint16_t max_magnitude(const std::uint16_t* x, int d) {
  const __m256i magnitude = _mm256_set1_epi16(0x7FFF);
  __m256i max = _mm256_setzero_si256();
  for (int i = 0; i < d; i += 16)
    max = _mm256_max_epu16(max, _mm256_and_si256(load(x + i), magnitude));
  const __m128i half = _mm_max_epu16(_mm256_castsi256_si128(max), _mm256_extracti128_si256(max, 1));
  // The minimum of the complements is the complement of the maximum.
  const __m128i complement = _mm_xor_si128(half, _mm_set1_epi16(-1));
  return static_cast<std::uint16_t>(~_mm_extract_epi16(_mm_minpos_epu16(complement), 0) & 0xFFFF);
}

void scale_fp16(const std::uint16_t* x, int d, int e, std::int32_t* m) {
  const Power power(-e);
  for (int i = 0; i < d; i += 8) scale_and_store(_mm256_cvtph_ps(load_half(x + i)), power, m + i);
}

void scale_bf16(const std::uint16_t* x, int d, int e, std::int32_t* m) {
  const Power power(-e);
  for (int i = 0; i < d; i += 8) {
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(load_half(x + i)), 16);
    scale_and_store(_mm256_castsi256_ps(bits), power, m + i);
  }
}

std::uint64_t square_sum(const std::int32_t* m, int d) {
  __m256i even = _mm256_setzero_si256();
  __m256i odd = _mm256_setzero_si256();
  for (int i = 0; i < d; i += 8) {
    const __m256i value = load(m + i);
    const __m256i upper = _mm256_srli_epi64(value, 32);
    even = _mm256_add_epi64(even, _mm256_mul_epi32(value, value));
    odd = _mm256_add_epi64(odd, _mm256_mul_epi32(upper, upper));
  }
  const __m256i sum = _mm256_add_epi64(even, odd);
  const __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  return static_cast<std::uint64_t>(_mm_extract_epi64(half, 0)) +
         static_cast<std::uint64_t>(_mm_extract_epi64(half, 1));
}

void quantize(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,
              std::uint8_t* indices) {
  if (count == 3) return quantize_all<3>(y, d, thresholds, indices);
  if (count == 7) return quantize_all<7>(y, d, thresholds, indices);
  quantize_all<15>(y, d, thresholds, indices);
}

void pack(const std::uint8_t* indices, int d, int index_bits, std::uint8_t* record) {
  if (index_bits == 2) return pack_all<2>(indices, d, record);
  if (index_bits == 3) return pack_all<3>(indices, d, record);
  pack_all<4>(indices, d, record);
}

}  // namespace axelram::avx2
