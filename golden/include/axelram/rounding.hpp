#pragma once

#include <cstdint>

namespace axelram {

/// value / 2^shift, rounded to nearest, ties to even (the bit contract's RNE). shift >= 0, any
/// size. |value| < 2^62.
constexpr std::int64_t shift_right_rne(std::int64_t value, int shift) {
  if (shift <= 0) return value;
  if (shift > 62) return 0;  // |value| < 2^62 is less than half of 2^shift
  const std::int64_t floor = value >> shift;
  const std::int64_t remainder = value - floor * (std::int64_t{1} << shift);
  const std::int64_t half = std::int64_t{1} << (shift - 1);
  const bool up = remainder > half || (remainder == half && (floor & 1) != 0);
  return floor + (up ? 1 : 0);
}

/// Number of bits of value without leading zeros; 0 for 0.
constexpr int bit_length(std::uint64_t value) {
  int length = 0;
  for (; value != 0; value >>= 1) ++length;
  return length;
}

}  // namespace axelram
