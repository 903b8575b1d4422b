#pragma once

#include <cstdint>

#include "axelram/half.hpp"
#include "units/align.cuh"

namespace axelram::kernels {

/// N, the integer nearest to the square root of S, from an integer at most kSteps away. N is right
/// if N^2 - N < S <= N^2 + N; S - N^2 is tracked modulo 2^32, which holds it: its magnitude is
/// below 2^29 for S < 2^49.
template <int kSteps>
AXELRAM_HD std::uint32_t root_near(std::uint64_t square_sum, std::uint32_t estimate) {
  auto n = static_cast<std::int32_t>(estimate);
  auto rest =
      static_cast<std::int32_t>(static_cast<std::uint32_t>(square_sum) - estimate * estimate);
  AXELRAM_UNROLL
  for (int step = 0; step < kSteps; ++step) {
    const int up = rest > n ? 1 : 0;
    const int down = rest <= -n && n > 0 ? 1 : 0;
    rest -= up != 0 ? 2 * n + 1 : 0;
    rest += down != 0 ? 2 * n - 1 : 0;
    n += up - down;
  }
  return static_cast<std::uint32_t>(n);
}

/// The same for S < 2^48. S as a float is off by a relative 2^-24 at most, its root by 2^-25 +
/// 2^-23: less than 2.6 for N < 2^24, and rounding moves both ends by 1/2. If N < 2^22, the
/// sum is below 1.7: one step suffices.
template <int kSteps = 3>
AXELRAM_HD std::uint32_t root(std::uint64_t square_sum) {
  const float estimate = sqrt_fast(static_cast<float>(square_sum));
  return root_near<kSteps>(square_sum, static_cast<std::uint32_t>(estimate + 0.5F));
}

/// FP16 RNE of root * 2^e, at most 65504. root <= 2^24, any e: if the exponent is clamped, the
/// result is 0 or 65504 either way.
AXELRAM_HD std::uint16_t norm(std::uint32_t root, int e, bool* saturated) {
  constexpr int kCut = 60;
  constexpr float kLargest = 65504.0F;
  const int exponent = e > kCut ? kCut : e < -kCut ? -kCut : e;
  const float value = static_cast<float>(root) * power_of_two(exponent);
  *saturated = value > kLargest;
  return half_of_float(value > kLargest ? kLargest : value);
}

/// A stored norm as the read path takes it (golden's decode_norm: no sign, no special values),
/// exact.
AXELRAM_HD float norm_value(std::uint16_t norm) {
  // The bits as those of a float, its exponent 112 less.
  return float_of_bits(static_cast<std::uint32_t>(norm & 0x7FFF) << 13) * 0x1p112F;
}

}  // namespace axelram::kernels
