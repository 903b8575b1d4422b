#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

/// A rotated row that becomes FP32: row_i = FP32 RNE of sign_i * sum_i * significand * scale. The
/// integer product has up to 26 bits and scale 24, so that FP64 holds the product exactly.
struct RowScaling {
  const std::int32_t* sums;
  const std::int8_t* signs;
  std::size_t d;
  std::int32_t significand;
  double scale;
  float* row;
};

/// Internal, so that no level shares it.
static inline void scale_sums(const RowScaling& of) {
  for (std::size_t i = 0; i < of.d; ++i)
    of.row[i] = static_cast<float>(of.signs[i] * of.sums[i] * of.significand * of.scale);
}

}  // namespace axelram
