#pragma once

#include <algorithm>
#include <cstdint>

#include "axelram/half.hpp"
#include "axelram/rounding.hpp"

namespace axelram {

/// Parts of align_ref, shared with center_ref, whose exponent covers two vectors
/// (bit-contract.md#align, bit-contract.md#center).

inline bool all_finite(const std::uint16_t* x, int d, ElementFormat format) {
  return std::all_of(x, x + d, [format](std::uint16_t bits) { return is_finite(bits, format); });
}

/// Element i of the powers of a vector; of none, 0.
inline int power(const std::int8_t* powers, int i) { return powers == nullptr ? 0 : powers[i]; }

/// E = max over i of max(exponent field, 1) + powers[i] - bias (bit-contract.md#exponents).
inline int max_exponent(const std::uint16_t* x, const std::int8_t* powers, int d,
                        ElementFormat format) {
  const int fraction_bits = format == ElementFormat::fp16 ? 10 : 7;
  int max = decode_element(x[0], format).exponent + power(powers, 0);
  for (int i = 1; i < d; ++i)
    max = std::max(max, decode_element(x[i], format).exponent + power(powers, i));
  return max + fraction_bits;
}

/// RNE(x * 2^-e).
inline std::int32_t align_element(std::uint16_t x, ElementFormat format, int e) {
  const Element element = decode_element(x, format);
  const int shift = e - element.exponent;
  if (shift >= 0) return static_cast<std::int32_t>(shift_right_rne(element.significand, shift));
  return element.significand * (1 << -shift);
}

}  // namespace axelram
