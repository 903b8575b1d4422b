#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// Rows of PowerOfTwoRom, each base and slope.
struct PowerRows {
  std::int32_t base[64], slope[64];
};

/// mantissa * 2^(exponent - 16).
struct Power {
  std::int32_t mantissa, exponent;
};

/// power_of_two_ref: 2^(z / 4096) (bit-contract.md#power-of-two). |z| < 2^26.
AXELRAM_HD Power power_of_two_ref(std::int32_t z, const PowerRows& rows) {
  const std::int32_t exponent = (z + 4095) >> 12, below = exponent * 4096 - z;
  const std::int32_t row = below >> 6;
  return {(rows.base[row] - rows.slope[row] * (below & 63) + 128) >> 8, exponent};
}

}  // namespace axelram::kernels
