#pragma once

#include <cstdint>

#include "axelram/kernels/write.hpp"
#include "device/platform.cuh"

namespace axelram::kernels {

/// Call it from one lane per row.
AXELRAM_DEVICE void count_events(WriteEvents* events, std::uint32_t row, bool finite,
                                 bool saturated) {
  if (!finite) {
    atomic_add(&events->rejected, 1U);
    atomic_min(&events->first_rejected, row);
  }
  if (saturated) atomic_add(&events->saturated, 1U);
}

}  // namespace axelram::kernels
