#pragma once

#include "scores/score/arguments.hpp"
#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// The rounding of sums of two terms, as round_score_sums, for 16 keys at a time.

namespace axelram::avx512 {
namespace {

/// A term in binary64, exact.
class Terms {
 public:
  explicit Terms(const SumTerm& term)
      : acc_(term.acc),
        unit_(_mm512_set1_pd(
            term.factor *
            __builtin_bit_cast(double, static_cast<std::uint64_t>(term.exponent + 1023) << 52))) {}

  /// Terms of the 8 keys from k on. norms: values of their norms.
  __m512d operator()(std::size_t k, __m256 norms) const {
    const __m512d weight = _mm512_mul_pd(_mm512_cvtps_pd(norms), unit_);
    const __m512d acc = _mm512_cvtepi32_pd(load_half(acc_ + k));
    return _mm512_fmadd_pd(acc, weight, _mm512_setzero_pd());  // -0 becomes +0
  }

 private:
  const std::int32_t* acc_;
  __m512d unit_;
};

/// sigma * 2^epsilon. bits: fields and fractions of norms in the place of those of binary32.
__m512 norm_values(__m512i bits) {
  constexpr int kBiasOfHalf = 127 - 15;
  const __mmask16 subnormal = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(0x7C00 << 13));
  const __m512i normal = _mm512_add_epi32(bits, _mm512_set1_epi32(kBiasOfHalf << 23));
  // The fraction of a subnormal, behind a leading one that is then taken away.
  const __m512i one = _mm512_add_epi32(bits, _mm512_set1_epi32((kBiasOfHalf + 1) << 23));
  return _mm512_mask_sub_ps(_mm512_castsi512_ps(normal), subnormal, _mm512_castsi512_ps(one),
                            _mm512_set1_ps(0x1p-14F));
}

__m256 lower_half(__m512 v) { return _mm512_castps512_ps256(v); }
__m256 upper_half(__m512 v) { return _mm512_extractf32x8_ps(v, 1); }

/// FP32 RNE of a + b by way of a sum that is rounded to odd.
__m256 rounded_sums(__m512d a, __m512d b) {
  constexpr int kExact = _MM_FROUND_NO_EXC;
  const __m512d below = _mm512_add_round_pd(a, b, _MM_FROUND_TO_NEG_INF | kExact);
  const __m512d above = _mm512_add_round_pd(a, b, _MM_FROUND_TO_POS_INF | kExact);
  const __m512i inside =
      _mm512_castpd_si512(_mm512_add_round_pd(a, b, _MM_FROUND_TO_ZERO | kExact));
  const __mmask8 inexact = _mm512_cmp_pd_mask(below, above, _CMP_NEQ_UQ);
  const __m512i odd = _mm512_mask_or_epi64(inside, inexact, inside, _mm512_set1_epi64(1));
  return _mm512_cvtpd_ps(_mm512_castsi512_pd(odd));
}

void round_all_sums(const SumRounding& rounding) {
  const Terms first(rounding.first), second(rounding.second);
  const __m512i fields = _mm512_set1_epi32(0x7FFF << 13);
  const auto stride = static_cast<int>(rounding.stride);
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i places = _mm512_mullo_epi32(lane, _mm512_set1_epi32(stride));
  for (std::size_t k = 0; k < rounding.count; k += 16) {
    const std::size_t left = rounding.count - k;
    const auto present = static_cast<__mmask16>(left < 16 ? (1U << left) - 1 : 0xFFFF);
    const __m512i norms = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), present, places,
                                                      rounding.norms + k * rounding.stride, 1);
    const __m512 a = norm_values(_mm512_and_si512(shift_left32<13>(norms), fields));
    const __m512 b = norm_values(_mm512_and_si512(shift_right32<3>(norms), fields));
    const __m256 low = rounded_sums(first(k, lower_half(a)), second(k, lower_half(b)));
    const __m256 high = rounded_sums(first(k + 8, upper_half(a)), second(k + 8, upper_half(b)));
    const __m512 scores = _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
    _mm512_mask_storeu_ps(rounding.scores + k, present, scores);
  }
}

}  // namespace
}  // namespace axelram::avx512
