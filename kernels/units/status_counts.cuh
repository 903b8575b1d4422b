#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// Counts statuses of groups: two bits each, those of word j at bits 2j and 2j + 1.
struct StatusCounts {
  std::uint32_t corrected = 0, parity_only = 0, detected = 0;

  AXELRAM_HD void add(std::uint32_t statuses) {
    if (statuses == 0) return;
    const std::uint32_t low = statuses & 0x55555555U, high = statuses >> 1 & 0x55555555U;
    corrected += static_cast<std::uint32_t>(count_ones(low & ~high));
    parity_only += static_cast<std::uint32_t>(count_ones(high & ~low));
    detected += static_cast<std::uint32_t>(count_ones(high & low));
  }
};

}  // namespace axelram::kernels
