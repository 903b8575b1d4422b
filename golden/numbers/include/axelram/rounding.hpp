#pragma once

#include <cmath>
#include <cstdint>

namespace axelram {

/// value / 2^shift, rounded to nearest, ties to even (bit-contract.md#rne). shift >= 0, any size.
/// |value| < 2^62.
constexpr std::int64_t shift_right_rne(std::int64_t value, int shift) {
  if (shift <= 0) return value;
  if (shift > 62) return 0;  // |value| < 2^62 is less than half of 2^shift
  // Without a branch: the dropped bits are random, and a wrong guess behind a division (the
  // unbiased norm) would stop the next key.
  const std::int64_t odd = value >> shift & 1;
  return (value + (std::int64_t{1} << (shift - 1)) - 1 + odd) >> shift;
}

/// floor(value / 2^shift + 1/2): a tie goes upwards, a negative one too (bit-contract.md#half-up).
/// shift >= 0, any size. |value| < 2^62.
constexpr std::int64_t shift_right_half_up(std::int64_t value, int shift) {
  if (shift <= 0) return value;
  if (shift > 62) return 0;  // |value| < 2^62 is less than half of 2^shift
  return (value + (std::int64_t{1} << (shift - 1))) >> shift;
}

/// RNE of a real number below 2^31, independent of the processor's rounding mode.
inline std::int32_t round_to_even(double value) {
  const double floor = std::floor(value);
  const double fraction = value - floor;
  const auto integer = static_cast<std::int32_t>(floor);
  const bool up = fraction > 0.5 || (fraction == 0.5 && integer % 2 != 0);
  return integer + (up ? 1 : 0);
}

/// Number of bits of value without leading zeros; 0 for 0.
constexpr int bit_length(std::uint64_t value) {
  int length = 0;
  for (; value != 0; value >>= 1) ++length;
  return length;
}

/// Encodes significand * 2^exponent (significand < 2^62) as the magnitude bits of an IEEE 754
/// binary format, RNE, subnormals kept. There is no overflow: the exponent field grows past its
/// width, and the caller compares with the format's largest finite value. |exponent| < 20000.
constexpr std::int64_t encode_rne(std::uint64_t significand, int exponent, int fraction_bits,
                                  int bias) {
  if (significand == 0) return 0;
  const int smallest_unit = 1 - bias - fraction_bits;
  const int unit_if_normal = exponent + bit_length(significand) - 1 - fraction_bits;
  const int unit = unit_if_normal > smallest_unit ? unit_if_normal : smallest_unit;
  const auto value = static_cast<std::int64_t>(significand);
  const std::int64_t rounded = unit > exponent ? shift_right_rne(value, unit - exponent)
                                               : value * (std::int64_t{1} << (exponent - unit));
  // A normal `rounded` has its hidden bit at fraction_bits, which counts as the field's first unit;
  // a carry out of the rounding moves to the next binade by itself.
  return (std::int64_t{unit - smallest_unit} << fraction_bits) + rounded;
}

/// True if a * 2^a_exponent > b * 2^b_exponent, exactly. b > 0.
constexpr bool exceeds(std::uint64_t a, int a_exponent, std::uint64_t b, int b_exponent) {
  if (a == 0) return false;
  const int a_bits = bit_length(a);
  const int b_bits = bit_length(b);
  if (a_bits + a_exponent != b_bits + b_exponent) return a_bits + a_exponent > b_bits + b_exponent;
  return a << (64 - a_bits) > b << (64 - b_bits);
}

}  // namespace axelram
