#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// sh = max(0, bit_length(Y) - (WQ - 1)), Y = max |y_i|.
AXELRAM_HD int query_shift(std::uint32_t largest, int query_bits) {
  const int shift = 32 - leading_zeros(largest) - (query_bits - 1);
  return shift > 0 ? shift : 0;
}

/// u_i = RNE(y_i / 2^sh), saturated to +-(2^(WQ-1) - 1). |y_i| < 2^30.
AXELRAM_HD std::int32_t round_query_element(std::int32_t y, int shift, int query_bits) {
  const std::int32_t limit = (1 << (query_bits - 1)) - 1;
  const std::int32_t down = y >> shift;
  // One less than half of the divisor, and one more if the quotient is odd: what rounds up then
  // is more than half, or half of an odd quotient.
  const std::int32_t bias = shift > 0 ? (1 << (shift - 1)) - 1 + (down & 1) : 0;
  const std::int32_t rounded = (y + bias) >> shift;
  return rounded > limit ? limit : rounded < -limit ? -limit : rounded;
}

}  // namespace axelram::kernels
