#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// One stage of butterflies (x + y, x - y) between a thread's elements `kStride` apart.
template <int kStride, int kCount, class T>
AXELRAM_HD void butterflies(T (&x)[kCount]) {
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    if ((i & kStride) != 0) continue;
    const T sum = x[i] + x[i + kStride];
    const T difference = x[i] - x[i + kStride];
    x[i] = sum;
    x[i + kStride] = difference;
  }
}

/// All stages with strides kFrom, 2 kFrom, ... below kTo.
template <unsigned kFrom, unsigned kTo, int kCount, class T>
AXELRAM_HD void butterfly_stages(T (&x)[kCount]) {
  if constexpr (kFrom < kTo) {
    butterflies<static_cast<int>(kFrom)>(x);
    butterfly_stages<2 * kFrom, kTo>(x);
  }
}

/// One stage between lanes that differ in bit `kMask` of their number.
template <unsigned kMask, int kCount>
AXELRAM_DEVICE void lane_butterflies(float (&x)[kCount]) {
  const float sign = (lane_index() & kMask) != 0 ? -1.0F : 1.0F;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) x[i] = multiply_add(x[i], sign, shuffle_xor(x[i], kMask));
}
template <unsigned kMask, int kCount>
AXELRAM_DEVICE void lane_butterflies(std::int32_t (&x)[kCount]) {
  const bool upper = (lane_index() & kMask) != 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const std::int32_t other = shuffle_xor(x[i], kMask);
    x[i] = other + (upper ? -x[i] : x[i]);
  }
}

/// All stages between lanes, with masks kMask, 2 kMask, ... below kEnd.
template <unsigned kMask, unsigned kEnd, int kCount, class T>
AXELRAM_DEVICE void lane_stages(T (&x)[kCount]) {
  if constexpr (kMask < kEnd) {
    lane_butterflies<kMask>(x);
    lane_stages<2 * kMask, kEnd>(x);
  }
}

}  // namespace axelram::kernels
