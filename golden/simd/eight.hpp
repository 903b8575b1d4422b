#pragma once

#include "vector.hpp"

/// Eight FP64 numbers: one register of avx512, two of avx2. FP16 numbers, their sums and products
/// are exact in them.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kEightLanes = 8;

#ifdef __AVX512F__
using Eight = __m512d;

inline Eight eight(double v) { return _mm512_set1_pd(v); }
inline Eight load_eight(const double* from) { return _mm512_loadu_pd(from); }
inline void store_eight(double* to, Eight v) { _mm512_storeu_pd(to, v); }
inline Eight widened(__m256 v) { return _mm512_cvtps_pd(v); }
inline __m256 narrowed(Eight v) { return _mm512_cvtpd_ps(v); }
inline Eight add(Eight a, Eight b) { return _mm512_add_pd(a, b); }
inline Eight subtract(Eight a, Eight b) { return _mm512_sub_pd(a, b); }
inline Eight multiply(Eight a, Eight b) { return _mm512_mul_pd(a, b); }
inline Eight divide(Eight a, Eight b) { return _mm512_div_pd(a, b); }
inline Eight larger(Eight a, Eight b) { return _mm512_max_pd(a, b); }
inline Eight smaller(Eight a, Eight b) { return _mm512_min_pd(a, b); }
inline Eight from_integers(__m256i v) { return _mm512_cvtepi32_pd(v); }
/// A sum and its rounding error to the sum rounded to odd: the neighbour on the side of the error
/// if the last bit is 0.
inline Eight to_odd(Eight sum, Eight rest) {
  const __m512i bits = _mm512_castpd_si512(sum), one = _mm512_set1_epi64(1);
  const __mmask8 even =
      static_cast<__mmask8>(~_mm512_test_epi64_mask(bits, one) &
                            _mm512_cmp_pd_mask(rest, _mm512_setzero_pd(), _CMP_NEQ_OQ));
  const __m512i apart = _mm512_xor_si512(bits, _mm512_castpd_si512(rest));
  const __m512i next = _mm512_or_si512(_mm512_srai_epi64(apart, 63), one);  // 1 or -1
  return _mm512_castsi512_pd(_mm512_mask_add_epi64(bits, even, bits, next));
}
inline Eight multiply_add(Eight a, Eight b, Eight c) { return _mm512_fmadd_pd(a, b, c); }
inline Eight bit_and(Eight a, Eight b) { return _mm512_and_pd(a, b); }
/// a without the bits of b.
inline Eight without(Eight a, Eight b) { return _mm512_andnot_pd(b, a); }
/// v where `test` is not 0, +0 elsewhere.
inline Eight where_not_zero(Eight test, Eight v) {
  return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(test, _mm512_setzero_pd(), _CMP_NEQ_OQ), v);
}
/// Bit l is set where a_l == b_l.
inline unsigned equal(Eight a, Eight b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
/// counts plus 1 where a < b.
inline __m256i count_less(__m256i counts, Eight a, Eight b) {
  return _mm256_mask_add_epi32(counts, _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), counts,
                               _mm256_set1_epi32(1));
}
/// Rounded to nearest, ties to even.
inline __m256i integers(Eight v) { return _mm512_cvtpd_epi32(v); }
inline double largest(Eight v) { return _mm512_reduce_max_pd(v); }
#else
struct Eight {
  __m256d low, high;
};

inline Eight eight(double v) { return {_mm256_set1_pd(v), _mm256_set1_pd(v)}; }
inline Eight load_eight(const double* from) {
  return {_mm256_loadu_pd(from), _mm256_loadu_pd(from + 4)};
}
inline void store_eight(double* to, Eight v) {
  _mm256_storeu_pd(to, v.low);
  _mm256_storeu_pd(to + 4, v.high);
}
inline Eight widened(__m256 v) {
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(v)), _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1))};
}
inline __m256 narrowed(Eight v) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(v.low)),
                              _mm256_cvtpd_ps(v.high), 1);
}
inline Eight add(Eight a, Eight b) {
  return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
}
inline Eight subtract(Eight a, Eight b) {
  return {_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)};
}
inline Eight multiply(Eight a, Eight b) {
  return {_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)};
}
inline Eight divide(Eight a, Eight b) {
  return {_mm256_div_pd(a.low, b.low), _mm256_div_pd(a.high, b.high)};
}
inline Eight larger(Eight a, Eight b) {
  return {_mm256_max_pd(a.low, b.low), _mm256_max_pd(a.high, b.high)};
}
inline Eight smaller(Eight a, Eight b) {
  return {_mm256_min_pd(a.low, b.low), _mm256_min_pd(a.high, b.high)};
}
inline Eight from_integers(__m256i v) {
  return {_mm256_cvtepi32_pd(_mm256_castsi256_si128(v)),
          _mm256_cvtepi32_pd(_mm256_extracti128_si256(v, 1))};
}
inline __m256d four_to_odd(__m256d sum, __m256d rest) {
  const __m256i bits = _mm256_castpd_si256(sum), one = _mm256_set1_epi64x(1);
  const __m256i odd = _mm256_cmpeq_epi64(_mm256_and_si256(bits, one), one);
  const __m256i inexact =
      _mm256_castpd_si256(_mm256_cmp_pd(rest, _mm256_setzero_pd(), _CMP_NEQ_OQ));
  const __m256i apart = _mm256_xor_si256(bits, _mm256_castpd_si256(rest));
  const __m256i next =
      _mm256_or_si256(_mm256_cmpgt_epi64(_mm256_setzero_si256(), apart), one);  // 1 or -1
  const __m256i change = _mm256_and_si256(_mm256_andnot_si256(odd, inexact), next);
  return _mm256_castsi256_pd(_mm256_add_epi64(bits, change));
}
inline Eight to_odd(Eight sum, Eight rest) {
  return {four_to_odd(sum.low, rest.low), four_to_odd(sum.high, rest.high)};
}
inline Eight multiply_add(Eight a, Eight b, Eight c) {
  return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}
inline Eight bit_and(Eight a, Eight b) {
  return {_mm256_and_pd(a.low, b.low), _mm256_and_pd(a.high, b.high)};
}
inline Eight without(Eight a, Eight b) {
  return {_mm256_andnot_pd(b.low, a.low), _mm256_andnot_pd(b.high, a.high)};
}
inline Eight where_not_zero(Eight test, Eight v) {
  const __m256d zero = _mm256_setzero_pd();
  return {_mm256_and_pd(_mm256_cmp_pd(test.low, zero, _CMP_NEQ_OQ), v.low),
          _mm256_and_pd(_mm256_cmp_pd(test.high, zero, _CMP_NEQ_OQ), v.high)};
}
inline unsigned equal(Eight a, Eight b) {
  const int low = _mm256_movemask_pd(_mm256_cmp_pd(a.low, b.low, _CMP_EQ_OQ));
  const int high = _mm256_movemask_pd(_mm256_cmp_pd(a.high, b.high, _CMP_EQ_OQ));
  return static_cast<unsigned>(low | high << 4);
}
/// Low halves of 64-bit lanes.
inline __m256i low_halves(__m256d low, __m256d high) {
  const __m256 mixed = _mm256_shuffle_ps(_mm256_castpd_ps(low), _mm256_castpd_ps(high), 0x88);
  return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xD8);
}
inline __m256i count_less(__m256i counts, Eight a, Eight b) {
  return _mm256_sub_epi32(counts, low_halves(_mm256_cmp_pd(a.low, b.low, _CMP_LT_OQ),
                                             _mm256_cmp_pd(a.high, b.high, _CMP_LT_OQ)));
}
inline __m256i integers(Eight v) {
  return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm256_cvtpd_epi32(v.low)),
                                 _mm256_cvtpd_epi32(v.high), 1);
}
inline double largest(Eight v) {
  const __m256d by4 = _mm256_max_pd(v.low, v.high);
  const __m128d by2 = _mm_max_pd(_mm256_castpd256_pd128(by4), _mm256_extractf128_pd(by4, 1));
  return _mm_cvtsd_f64(_mm_max_sd(by2, _mm_unpackhi_pd(by2, by2)));
}
#endif

inline __m128i load_eight_halfs(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}
inline Eight eight_halfs(const void* from) {
  return widened(_mm256_cvtph_ps(load_eight_halfs(from)));
}

/// Eight codes below 2^bits, lowest lane first, in b bytes. Four bytes are written.
template <int bits>
inline void store_eight_codes(__m256i codes, std::uint8_t* to) {
  constexpr std::uint64_t kMask = 0x0101010101010101U * ((1U << bits) - 1);
  const __m128i by16 =
      _mm_packus_epi32(_mm256_castsi256_si128(codes), _mm256_extracti128_si256(codes, 1));
  const auto bytes = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(by16, by16)));
  const auto packed = static_cast<std::uint32_t>(_pext_u64(bytes, kMask));
  __builtin_memcpy(to, &packed, sizeof packed);
}

}  // namespace
}  // namespace axelram::AXELRAM_LEVEL
