#pragma once

#include <algorithm>
#include <cstdint>

#include "axelram/rounding.hpp"

namespace axelram {

/// With A = max|x_i| and sh = max(0, bit_length(A) - (bits - 1)), out_i is RNE(x_i / 2^sh), clamped
/// to
/// +-(2^(bits-1) - 1). |x_i| < 2^62. Returns sh. out may be x.
template <typename Integer>
int round_to_bits(const Integer* x, int d, int bits, std::int32_t* out) {
  std::int64_t largest = 0;
  for (int i = 0; i < d; ++i)
    largest = std::max(largest, x[i] < 0 ? -std::int64_t{x[i]} : std::int64_t{x[i]});
  const int shift = std::max(0, bit_length(static_cast<std::uint64_t>(largest)) - (bits - 1));
  const std::int64_t limit = (std::int64_t{1} << (bits - 1)) - 1;
  for (int i = 0; i < d; ++i)
    out[i] = static_cast<std::int32_t>(std::clamp(shift_right_rne(x[i], shift), -limit, limit));
  return shift;
}

}  // namespace axelram
