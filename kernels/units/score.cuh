#pragma once

#include <cstdint>

#include "device/platform.cuh"

/// Score of an accumulator (bit-contract.md#read-4).
namespace axelram::kernels {

/// score_ref: the FP32 score of an exact accumulator, rounded once. |acc| < 2^39, any norm and e_u.
/// acc * sigma has at most 50 bits, so the exact score is a double, and its conversion to float is
/// the one rounding. Exponents beyond +-900 saturate or vanish as those at +-900 do.
AXELRAM_HD float score_ref(std::int64_t acc, std::uint16_t norm, std::int32_t e_u,
                           bool* saturated) {
  constexpr double kFltMax = 0x1.fffffep127;
  const int field = norm >> 10 & 31, fraction = norm & 1023;
  const int epsilon = field == 0 ? -24 : field - 25;
  const std::int64_t sigma = field == 0 ? fraction : fraction + 1024;
  const std::int32_t near = e_u < -2000 ? -2000 : e_u > 2000 ? 2000 : e_u;
  const int exponent = near + epsilon;
  const int power = exponent < -900 ? -900 : exponent > 900 ? 900 : exponent;
  const double score = static_cast<double>(acc * sigma) * double_power_of_two(power);
  *saturated = score > kFltMax || score < -kFltMax;
  return static_cast<float>(score > kFltMax ? kFltMax : score < -kFltMax ? -kFltMax : score);
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
