#pragma once

#include <cstdint>

#include "units/norm.cuh"

namespace axelram::kernels {

/// FP16 of square_sum / correlation * 2^exponent, one rounding (bit-contract.md#scale), at most
/// 65504. square_sum < 2^48, correlation < 2^47, square_sum / correlation < 2^20, any exponent.
///
/// Rounded down, the quotient of floats is off by one at most; the remainder, exact modulo 2^64,
/// mends it.
AXELRAM_HD std::uint16_t unbiased_norm(std::uint64_t square_sum, std::int64_t correlation,
                                       int exponent, bool* saturated) {
  constexpr int kQuotientBits = 13;  // the first may be 0
  *saturated = false;
  if (square_sum == 0 || correlation <= 0) return 0;
  const auto divisor = static_cast<std::uint64_t>(correlation);
  const int wanted = leading_zeros(square_sum) - leading_zeros(divisor) + kQuotientBits;
  const int shift = wanted > 0 ? wanted : 0;
  const std::uint64_t dividend = square_sum << shift;
  auto quotient =
      static_cast<std::uint32_t>(static_cast<float>(dividend) / static_cast<float>(divisor));
  auto rest = static_cast<std::int64_t>(dividend - divisor * quotient);
  const bool down = rest < 0;
  quotient -= down ? 1U : 0U;
  rest += down ? correlation : 0;
  const bool up = rest >= correlation;
  quotient += up ? 1U : 0U;
  rest -= up ? correlation : 0;
  return norm(2 * quotient + (rest != 0 ? 1U : 0U), exponent - shift - 1, saturated);
}

}  // namespace axelram::kernels
