#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// y - R of an index, before it is shifted (bit-contract.md#residual-1). upper: the `half`
/// reconstructions of the upper half of the levels.
AXELRAM_HD std::int32_t residual_element(std::int32_t y, unsigned index, const std::int32_t* upper,
                                         int half) {
  const int level = static_cast<int>(index);
  return y - (level < half ? -upper[half - 1 - level] : upper[level - half]);
}

}  // namespace axelram::kernels
