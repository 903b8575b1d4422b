#include "axelram/half.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "axelram/rounding.hpp"

namespace axelram {
namespace {

struct Layout {
  int fraction_bits;
  int exponent_bits;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int max_field() const { return (1 << exponent_bits) - 1; }
};

constexpr Layout kHalf{10, 5};
constexpr Layout kBfloat16{7, 8};

Layout layout(ElementFormat format) { return format == ElementFormat::fp16 ? kHalf : kBfloat16; }

int exponent_field(std::uint16_t bits, Layout format) {
  return (bits >> format.fraction_bits) & format.max_field();
}

int fraction(std::uint16_t bits, Layout format) { return bits & ((1 << format.fraction_bits) - 1); }

bool negative(std::uint16_t bits) { return (bits & 0x8000) != 0; }

Element decode(std::uint16_t bits, Layout format) {
  const int field = exponent_field(bits, format);
  const int hidden = field == 0 ? 0 : 1 << format.fraction_bits;
  const int magnitude = hidden | fraction(bits, format);
  const int exponent = (field == 0 ? 1 : field) - format.bias() - format.fraction_bits;
  return {negative(bits) ? -magnitude : magnitude, exponent};
}

double to_double(std::uint16_t bits, Layout format) {
  if (exponent_field(bits, format) == format.max_field()) {
    const bool nan = fraction(bits, format) != 0;
    const double magnitude =
        nan ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    return std::copysign(magnitude, negative(bits) ? -1.0 : 1.0);
  }
  const Element element = decode(bits, format);
  const double magnitude = std::ldexp(std::abs(element.significand), element.exponent);
  return negative(bits) ? -magnitude : magnitude;
}

std::uint16_t from_double(double value, Layout format) {
  constexpr int kFractionBits = 52;
  constexpr int kMaxField = 2047;
  constexpr int kBias = 1023;
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kFractionBits) - 1);
  const int field = static_cast<int>(bits >> kFractionBits) & kMaxField;
  const int sign = (bits >> 63) != 0 ? 0x8000 : 0;

  const int infinity = format.max_field() << format.fraction_bits;
  std::int64_t magnitude = infinity;
  if (field == kMaxField) {
    if (fraction != 0) magnitude |= 1 << (format.fraction_bits - 1);
  } else {
    const std::uint64_t hidden = field == 0 ? 0 : std::uint64_t{1} << kFractionBits;
    const int exponent = (field == 0 ? 1 : field) - kBias - kFractionBits;
    magnitude = encode_rne(hidden | fraction, exponent, format.fraction_bits, format.bias());
    if (magnitude > infinity) magnitude = infinity;
  }
  return static_cast<std::uint16_t>(sign | static_cast<int>(magnitude));
}

}  // namespace

bool is_finite(std::uint16_t bits, ElementFormat format) {
  return exponent_field(bits, layout(format)) != layout(format).max_field();
}

Element decode_element(std::uint16_t bits, ElementFormat format) {
  return decode(bits, layout(format));
}

double half_to_double(std::uint16_t bits) { return to_double(bits, kHalf); }
double bfloat16_to_double(std::uint16_t bits) { return to_double(bits, kBfloat16); }
double element_to_double(std::uint16_t bits, ElementFormat format) {
  return to_double(bits, layout(format));
}

std::uint16_t double_to_half(double value) { return from_double(value, kHalf); }
std::uint16_t double_to_bfloat16(double value) { return from_double(value, kBfloat16); }
std::uint16_t double_to_element(double value, ElementFormat format) {
  return from_double(value, layout(format));
}

std::uint16_t saturated_half(double value) {
  const double most = half_to_double(kHalfMax);
  return double_to_half(std::clamp(value, -most, most));
}

NormValue decode_norm(std::uint16_t norm) {
  const int field = exponent_field(norm, kHalf);
  if (field == 0) return {fraction(norm, kHalf), -24};
  return {1024 + fraction(norm, kHalf), field - 25};
}

}  // namespace axelram
