#pragma once

#include <cmath>
#include <cstdint>

#include "device/platform.cuh"

/// Score of an accumulator (bit-contract.md#read-4).
namespace axelram::kernels {

/// A stored norm: sigma * 2^epsilon.
struct NormParts {
  std::int32_t sigma, epsilon;
};
AXELRAM_HD NormParts decode_norm(std::uint16_t norm) {
  const int field = norm >> 10 & 31, fraction = norm & 1023;
  return field == 0 ? NormParts{fraction, -24} : NormParts{fraction + 1024, field - 25};
}

/// FP32 RNE of value * 2^exponent, saturated; |value| is 0 or 2^-60 .. 2^140. The product with a
/// power of two is exact: exponents beyond +-900 saturate or vanish as those at +-900 do.
AXELRAM_HD float round_score(double value, int exponent, bool* saturated) {
  constexpr double kFltMax = 0x1.fffffep127;
  const int power = exponent < -900 ? -900 : exponent > 900 ? 900 : exponent;
  const double score = value * double_power_of_two(power);
  *saturated = score > kFltMax || score < -kFltMax;
  return static_cast<float>(score > kFltMax ? kFltMax : score < -kFltMax ? -kFltMax : score);
}

/// score_ref: the FP32 score of an exact accumulator, rounded once. |acc| < 2^39, any norm and e_u.
/// acc * sigma has at most 50 bits, so the exact score is a double, and its conversion to float is
/// the one rounding.
AXELRAM_HD float score_ref(std::int64_t acc, std::uint16_t norm, std::int32_t e_u,
                           bool* saturated) {
  const NormParts n = decode_norm(norm);
  const std::int32_t near = e_u < -2000 ? -2000 : e_u > 2000 ? 2000 : e_u;
  return round_score(static_cast<double>(acc * n.sigma), near + n.epsilon, saturated);
}

/// Power of two of a residual term beside e_v (bit-contract.md#residual-6).
AXELRAM_HD constexpr int residual_exponent(int log2_dim) { return log2_dim / 2 - 16 - log2_dim; }

/// One of the two terms of a score: acc * norm * 2^exponent.
struct ScoreTerm {
  std::int64_t acc;  ///< below 2^39
  std::uint16_t norm;
  std::int32_t exponent;  ///< |exponent| < 10000
};

/// score_sum_ref: the FP32 score of a record of two parts, rounded once, with `factor` times the
/// second term (bit-contract.md#split-score). Terms other than 0 lie at most 50 binary places
/// apart. Both products with sigma are exact doubles, and so is the factor at any of these places.
/// Their sum is rounded to odd, so that its conversion to float is the one rounding.
AXELRAM_HD float score_sum_ref(const ScoreTerm& first, const ScoreTerm& second,
                               std::uint32_t factor, bool* saturated) {
  const NormParts n1 = decode_norm(first.norm), n2 = decode_norm(second.norm);
  const std::int64_t a = first.acc * n1.sigma, b = second.acc * n2.sigma;
  const int e1 = first.exponent + n1.epsilon, e2 = second.exponent + n2.epsilon;
  // A term of 0 has no say in the exponent.
  const int exponent = a != 0 ? e1 : e2, apart = a != 0 && b != 0 ? e2 - e1 : 0;
  const double scale = static_cast<double>(factor) * double_power_of_two(apart);
  return round_score(multiply_add_odd(static_cast<double>(b), scale, static_cast<double>(a)),
                     exponent, saturated);
}

/// Integer sums of tensor cores start here: the bits of the float 1.5 * 2^23, so that sum is a
/// float, exactly, for |acc| < 2^22.
constexpr std::int32_t kSumBias = 0x4B400000;
constexpr float kFloatBias = 12582912.0F;

/// acc of such a sum as a double, without a conversion.
AXELRAM_HD double acc_of_sum(std::int32_t sum) {
  constexpr std::uint64_t kHighWord = std::uint64_t{0x43300000} << 32;  // 2^52 plus the low word
  return std::bit_cast<double>(kHighWord | static_cast<std::uint32_t>(sum)) - (0x1p52 + kSumBias);
}

/// A score of two parts over 2^e_u, rounded to odd, from such sums and from norms as decode_norm
/// has them. scale: what the second term is multiplied by. Adding 0 makes the zero of a negative
/// acc and norm 0 positive.
AXELRAM_HD double score_of_sums(std::int32_t sum, double norm, std::int32_t second_sum,
                                double second_norm, double scale) {
  const double first = std::fma(acc_of_sum(sum), norm, 0.0);
  return multiply_add_odd(acc_of_sum(second_sum) * second_norm, scale, first);
}

/// That scale: 1 with a split, whose exponents are equal.
AXELRAM_HD double residual_factor(std::uint32_t residual_scale, int log2_dim, std::int32_t e_u,
                                  std::int32_t e_v) {
  constexpr int kFar = 900;  // farther than any two exponents of a query
  const int apart = e_v - e_u + residual_exponent(log2_dim);
  return static_cast<double>(residual_scale) * double_power_of_two(apart < -kFar  ? -kFar
                                                                   : apart > kFar ? kFar
                                                                                  : apart);
}

/// Exponents e_u of which, for |acc| < 2^22, no score overflows or is subnormal.
AXELRAM_HD constexpr bool plain_exponent(std::int32_t e_u) { return e_u >= -100 && e_u <= 80; }

/// The same score as score_ref for |acc| < 2^22 and a plain exponent: acc and norm are exact
/// floats, their product is the one rounding, and power = 2^e_u changes its exponent alone. Adding
/// zero makes the zero of a negative acc and norm 0 positive.
AXELRAM_HD float plain_score(float acc, float norm, float power) {
  return multiply_add(acc * norm, power, 0.0F);
}

}  // namespace axelram::kernels
