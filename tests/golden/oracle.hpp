#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "axelram/half.hpp"
#include "axelram/parameters.hpp"

/// Slow, independent definitions the units are held against, and the inputs to do it with.
namespace oracle {

using Rng = std::mt19937_64;
__extension__ typedef __int128 Int128;

inline int uniform(Rng& rng, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(rng);
}

inline int exponent_max_field(axelram::ElementFormat format) {
  return format == axelram::ElementFormat::fp16 ? 31 : 255;
}

inline std::uint16_t element(bool negative, int field, int fraction,
                             axelram::ElementFormat format) {
  const int fraction_bits = format == axelram::ElementFormat::fp16 ? 10 : 7;
  return static_cast<std::uint16_t>((negative ? 0x8000 : 0) | field << fraction_bits |
                                    (fraction & ((1 << fraction_bits) - 1)));
}

inline std::uint16_t largest(bool negative, axelram::ElementFormat format) {
  return element(negative, exponent_max_field(format) - 1, 0x7FF, format);
}

/// A finite vector of one of several characters: any bits, one binade, few binades, subnormal,
/// sparse, largest values, zero.
inline std::vector<std::uint16_t> vector(Rng& rng, int d, axelram::ElementFormat format) {
  const int max_field = exponent_max_field(format) - 1;
  const int character = uniform(rng, 0, 7);
  const int center = uniform(rng, 0, max_field);
  std::vector<std::uint16_t> x(static_cast<std::size_t>(d));
  for (std::uint16_t& value : x) {
    const bool negative = uniform(rng, 0, 1) != 0;
    const int fraction = uniform(rng, 0, 0x7FF);
    int field = uniform(rng, 0, max_field);
    if (character == 1) field = center;
    if (character == 2 || character == 3)
      field = std::max(0, std::min(max_field, center + uniform(rng, -6, 6)));
    if (character == 4) field = 0;
    value = element(negative, field, fraction, format);
    if (character == 5 && uniform(rng, 0, d) > 2) value = 0;
    if (character == 6) value = largest(negative, format);
    if (character == 7) value = element(negative, 0, 0, format);
  }
  return x;
}

/// Real values of raw elements; exact.
inline std::vector<double> values(const std::vector<std::uint16_t>& x,
                                  axelram::ElementFormat format) {
  std::vector<double> result;
  for (const std::uint16_t bits : x) result.push_back(axelram::element_to_double(bits, format));
  return result;
}

/// E of ALIGN from the values alone: binade of the largest magnitude, at least the smallest normal.
inline int max_exponent(const std::vector<double>& x, axelram::ElementFormat format) {
  int max = format == axelram::ElementFormat::fp16 ? -14 : -126;
  for (const double value : x)
    if (value != 0) max = std::max(max, std::ilogb(value));
  return max;
}

/// RNE(x * 2^-e) by the processor's own rounding.
inline std::int32_t aligned(double x, int e) {
  return static_cast<std::int32_t>(std::nearbyint(std::ldexp(x, -e)));
}

/// (H x)_r from the definition of the Sylvester matrix.
inline std::vector<std::int32_t> hadamard(const std::vector<std::int32_t>& x) {
  std::vector<std::int32_t> y(x.size());
  for (std::size_t r = 0; r < x.size(); ++r) {
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < x.size(); ++c)
      sum += __builtin_parityll(r & c) != 0 ? -std::int64_t{x[c]} : std::int64_t{x[c]};
    y[r] = static_cast<std::int32_t>(sum);
  }
  return y;
}

/// Code of the nearest 16-bit float of magnitude |value|, ties to the even code, infinity beyond
/// the midpoint above the largest finite value. By search among all codes.
inline std::uint16_t nearest_code(double value, axelram::ElementFormat format) {
  const int infinity =
      exponent_max_field(format) * (format == axelram::ElementFormat::fp16 ? 1024 : 128);
  const auto code_value = [&](int code) {
    if (code == infinity) return format == axelram::ElementFormat::fp16 ? 0x1p16 : 0x1p128;
    return axelram::element_to_double(static_cast<std::uint16_t>(code), format);
  };
  const double magnitude = std::abs(value);
  const int sign = std::signbit(value) ? 0x8000 : 0;
  if (magnitude >= code_value(infinity)) return static_cast<std::uint16_t>(sign | infinity);
  int low = 0;
  int high = infinity;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (code_value(middle) <= magnitude ? low : high) = middle;
  }
  const double midpoint = (code_value(low) + code_value(high)) / 2;
  const bool up = magnitude > midpoint || (magnitude == midpoint && low % 2 != 0);
  return static_cast<std::uint16_t>(sign | (up ? high : low));
}

/// Value of a norm as read: no special codes, no sign.
inline double norm_value(std::uint16_t norm) {
  const int field = norm >> 10 & 31;
  const int fraction = norm & 1023;
  return field == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, field - 25);
}

/// FP32 of the contract from the exact value, which fits a double: one conversion by the processor.
inline float score(std::int64_t acc, std::uint16_t norm, int e_u, bool* saturated) {
  const double exact = std::ldexp(static_cast<double>(acc) * norm_value(norm), e_u);
  const double max = std::numeric_limits<float>::max();
  *saturated = std::abs(exact) > max;
  if (exact == 0) return 0.0F;
  return static_cast<float>(*saturated ? std::copysign(max, exact) : exact);
}

}  // namespace oracle
