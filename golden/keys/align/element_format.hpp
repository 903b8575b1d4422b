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

/// e of a vector whose largest magnitude is `magnitude`.
inline int aligned_exponent(std::uint16_t magnitude, FormatBits format, int significand_bits) {
  const int field = std::max(magnitude >> format.fraction_bits, 1);
  return field - format.bias - (significand_bits - 2);
}

inline void scale(const LevelUnits& units, const std::uint16_t* x, int d, ElementFormat format,
                  int e, std::int32_t* m) {
  const auto scale_format = format == ElementFormat::fp16 ? units.scale_fp16 : units.scale_bf16;
  scale_format(x, d, e, m);
}

}  // namespace axelram
