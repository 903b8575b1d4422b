#pragma once

#include <cstdint>

#include "axelram/parameters.hpp"

namespace axelram {

/// Largest finite FP16 value, 65504.
constexpr std::uint16_t kHalfMax = 0x7BFF;

/// False for NaN and infinity: an exponent field of all ones.
bool is_finite(std::uint16_t bits, ElementFormat format);

/// A finite element as significand * 2^exponent, exact, |significand| < 2^11
/// (bit-contract.md#align).
/// Subnormals share the exponent of the smallest normal binade: the exponent is
/// max(exponent field, 1) - bias - fraction bits.
struct Element {
  std::int32_t significand;  ///< signed
  int exponent;
};
Element decode_element(std::uint16_t bits, ElementFormat format);

/// Exact value; NaN and infinity become NaN and infinity.
double half_to_double(std::uint16_t bits);
double bfloat16_to_double(std::uint16_t bits);
double element_to_double(std::uint16_t bits, ElementFormat format);

/// IEEE 754 conversion, RNE from binary64 in one rounding: subnormals kept, overflow
/// to infinity, the sign of zero kept, any NaN to the quiet NaN with the same sign. Integer code:
/// no dependence on the rounding mode.
std::uint16_t double_to_half(double value);
std::uint16_t double_to_bfloat16(double value);
std::uint16_t double_to_element(double value, ElementFormat format);

/// double_to_half of a number, +-65504 beyond that range.
std::uint16_t saturated_half(double value);

/// A stored norm as the read path reads it: sigma * 2^epsilon (bit-contract.md#norm-read). There
/// are no special values: bit 15 is ignored, and exponent field 31 is an ordinary binade.
struct NormValue {
  std::int32_t significand;  ///< sigma, 0..2047
  int exponent;              ///< epsilon, -24..6
};
NormValue decode_norm(std::uint16_t norm);

}  // namespace axelram
