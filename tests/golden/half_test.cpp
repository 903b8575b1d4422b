#include "axelram/half.hpp"

#include <cstring>

#include "check.hpp"
#include "golden/oracle.hpp"

using namespace axelram;

namespace {

constexpr ElementFormat kFormats[] = {ElementFormat::fp16, ElementFormat::bf16};

std::uint64_t double_bits(double value) {
  std::uint64_t bits;
  static_assert(sizeof bits == sizeof value);
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

}  // namespace

TEST_CASE("known values") {
  CHECK(half_to_double(0x3C00) == 1.0);
  CHECK(half_to_double(0x0001) == 0x1p-24);
  CHECK(half_to_double(0x7BFF) == 65504.0);
  CHECK(half_to_double(0xC000) == -2.0);
  CHECK(bfloat16_to_double(0x3F80) == 1.0);
  CHECK(bfloat16_to_double(0x0001) == 0x1p-133);
  CHECK(bfloat16_to_double(0x7F7F) == 0x1.FEp127);
  CHECK(std::signbit(half_to_double(0x8000)));
  CHECK(half_to_double(0x7C00) == std::numeric_limits<double>::infinity());
  CHECK(bfloat16_to_double(0xFF80) == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(half_to_double(0x7C01)));
  CHECK(std::isnan(bfloat16_to_double(0xFFC0)));
}

TEST_CASE("bfloat16 is the upper half of binary32") {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    CASE(code);
    const std::uint32_t word = code << 16;
    float value;
    std::memcpy(&value, &word, sizeof value);
    const double converted = bfloat16_to_double(static_cast<std::uint16_t>(code));
    if (std::isnan(value))
      CHECK(std::isnan(converted));
    else
      CHECK(double_bits(converted) == double_bits(value));
  }
}

TEST_CASE("every code survives the round trip and decodes to its value") {
  for (const ElementFormat format : kFormats)
    for (int code = 0; code < 0x10000; ++code) {
      CASE(format, code);
      const auto bits = static_cast<std::uint16_t>(code);
      const double value = element_to_double(bits, format);
      CHECK(is_finite(bits, format) == std::isfinite(value));
      if (std::isnan(value)) {
        CHECK(std::isnan(element_to_double(double_to_element(value, format), format)));
        continue;
      }
      CHECK(double_to_element(value, format) == bits);
      if (!std::isfinite(value)) continue;
      const Element element = decode_element(bits, format);
      CHECK(std::ldexp(element.significand, element.exponent) == value);
    }
}

TEST_CASE("conversion rounds to nearest even, beside every midpoint and everywhere") {
  oracle::Rng rng(2);
  for (const ElementFormat format : kFormats) {
    CASE(format);
    const auto agrees = [format](double value) {
      CHECK(double_to_element(value, format) == oracle::nearest_code(value, format));
      CHECK(double_to_element(-value, format) == oracle::nearest_code(-value, format));
    };
    const int infinity = format == ElementFormat::fp16 ? 0x7C00 : 0x7F80;
    for (int code = 0; code + 1 < infinity; ++code) {
      CASE(code);
      const double low = element_to_double(static_cast<std::uint16_t>(code), format);
      const double high = element_to_double(static_cast<std::uint16_t>(code + 1), format);
      const double middle = (low + high) / 2;
      agrees(middle);
      agrees(std::nextafter(middle, low));
      agrees(std::nextafter(middle, high));
    }
    for (int i = 0; i < 100000; ++i) {
      CASE(i);
      agrees(std::ldexp(std::uniform_real_distribution<>(0.5, 1)(rng),
                        oracle::uniform(rng, -150, 140)));
    }
    agrees(std::numeric_limits<double>::denorm_min());
    agrees(std::numeric_limits<double>::max());
  }
  CHECK(double_to_half(65519.999) == 0x7BFF);
  CHECK(double_to_half(65520) == 0x7C00);
  CHECK(double_to_half(std::numeric_limits<double>::infinity()) == 0x7C00);
  CHECK(double_to_half(0x1p-25) == 0);
  CHECK(double_to_half(-0x1p-25) == 0x8000);
  CHECK((double_to_half(std::nan("")) & 0x7FFF) == 0x7E00);
}

TEST_CASE("a norm as read has no special values") {
  for (int code = 0; code < 0x10000; ++code) {
    CASE(code);
    const auto bits = static_cast<std::uint16_t>(code);
    const NormValue norm = decode_norm(bits);
    const double value = std::ldexp(norm.significand, norm.exponent);
    CHECK(value == oracle::norm_value(bits));
    const auto magnitude = static_cast<std::uint16_t>(code & 0x7FFF);
    if (is_finite(magnitude, ElementFormat::fp16)) CHECK(value == half_to_double(magnitude));
    CHECK(norm.significand <= 2047);
  }
  CHECK(decode_norm(0x7C00).significand == 1024);
  CHECK(decode_norm(0x7C00).exponent == 6);
  CHECK(decode_norm(0x8000).significand == 0);
}
