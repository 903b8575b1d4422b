#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// The combination of all lanes' values, the same in every lane, always in the same order.
template <class T, class Combine>
AXELRAM_DEVICE T over_warp(T value, const Combine& combine) {
  AXELRAM_UNROLL
  for (unsigned mask = 16; mask != 0; mask /= 2) value = combine(value, shuffle_xor(value, mask));
  return value;
}

/// The sum over each group of kLanes neighbouring lanes.
template <unsigned kLanes>
AXELRAM_DEVICE std::uint64_t sum_over_lanes(std::uint64_t sum) {
  AXELRAM_UNROLL
  for (unsigned mask = 1; mask < kLanes; mask *= 2) sum += shuffle_xor(sum, mask);
  return sum;
}

/// Combines the values of all threads of a block of kWarps warps. `scratch`: kWarps values of
/// shared memory; they may be reused after the next sync_block().
template <int kWarps, class T, class Combine>
AXELRAM_DEVICE T over_block(T value, T* scratch, const Combine& combine) {
  value = over_warp(value, combine);
  if (lane_index() == 0) scratch[warp_index()] = value;
  sync_block();
  value = scratch[0];
  AXELRAM_UNROLL
  for (int warp = 1; warp < kWarps; ++warp) value = combine(value, scratch[warp]);
  return value;
}

struct Sum {
  template <class T>
  AXELRAM_HD T operator()(T a, T b) const {
    return a + b;
  }
};
struct Smaller {
  template <class T>
  AXELRAM_HD T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Larger {
  template <class T>
  AXELRAM_HD T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

}  // namespace axelram::kernels
