#pragma once

#include <algorithm>

#include "axelram/parameters.hpp"
#include "simd/level_units.hpp"

namespace axelram {

struct FormatBits {
  int fraction_bits;
  int bias;
  std::uint16_t infinity;
};

constexpr FormatBits format_bits(ElementFormat format) {
  return format == ElementFormat::fp16 ? FormatBits{10, 15, 0x7C00} : FormatBits{7, 127, 0x7F80};
}

/// E of a vector whose largest magnitude is `magnitude`; with powers, of its d elements x.
inline int largest_exponent(const LevelUnits& units, const std::uint16_t* x,
                            const std::int8_t* powers, int d, std::uint16_t magnitude,
                            FormatBits format) {
  const int field = powers == nullptr ? std::max(magnitude >> format.fraction_bits, 1)
                                      : units.max_field(x, powers, d, format.fraction_bits);
  return field - format.bias;
}

inline void scale(const LevelUnits& units, const std::uint16_t* x, const std::int8_t* powers, int d,
                  ElementFormat format, int e, std::int32_t* m) {
  const auto scale_format = format == ElementFormat::fp16 ? units.scale_fp16 : units.scale_bf16;
  scale_format(x, powers, d, e, m);
}

}  // namespace axelram
