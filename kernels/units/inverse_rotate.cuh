#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// x = H x of vectors that lie on kLanes neighbouring lanes each, elements kPerLane * lane and up
/// in each lane. Unnormalised, FP32.
template <unsigned kLanes = 32, int kPerLane>
AXELRAM_DEVICE void hadamard_warp(float (&x)[kPerLane]) {
  AXELRAM_UNROLL
  for (int half = 1; half < kPerLane; half *= 2) {
    AXELRAM_UNROLL
    for (int i = 0; i < kPerLane; ++i) {
      if ((i & half) != 0) continue;
      const float a = x[i], b = x[i + half];
      x[i] = a + b;
      x[i + half] = a - b;
    }
  }
  AXELRAM_UNROLL
  for (unsigned mask = 1; mask < kLanes; mask *= 2) {
    const bool upper = (lane_index() & mask) != 0;
    AXELRAM_UNROLL
    for (int i = 0; i < kPerLane; ++i) {
      const float other = shuffle_xor(x[i], mask);
      x[i] = upper ? other - x[i] : x[i] + other;
    }
  }
}

/// Out of the rotated domain of values: x = diag(signs) H x * scale. signs: of all lanes.
template <unsigned kLanes = 32, int kPerLane>
AXELRAM_DEVICE void inverse_rotate(float (&x)[kPerLane], const std::int8_t* signs, float scale) {
  hadamard_warp<kLanes>(x);
  AXELRAM_UNROLL
  for (int i = 0; i < kPerLane; ++i) {
    const std::int8_t sign = signs[kPerLane * static_cast<int>(lane_index()) + i];
    x[i] *= sign < 0 ? -scale : scale;
  }
}

}  // namespace axelram::kernels
