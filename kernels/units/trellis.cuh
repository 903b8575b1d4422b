#pragma once

#include <cstdint>

#include "device/platform.cuh"

/// Codes of a trellis (bit-contract.md#trellis).
namespace axelram::kernels {

/// R_j = RNE(word * N / 2^F), word >= 0.
AXELRAM_HD std::int32_t reconstruction(std::int32_t word, std::uint32_t root, int fraction_bits) {
  const std::uint64_t product = static_cast<std::uint64_t>(word) * root;
  const std::uint64_t floor = product >> fraction_bits;
  const std::uint64_t fraction = product & ((std::uint64_t{1} << fraction_bits) - 1);
  const std::uint64_t half = std::uint64_t{1} << (fraction_bits - 1);
  const bool up = fraction > half || (fraction == half && (floor & 1) != 0);
  return static_cast<std::int32_t>(floor + (up ? 1 : 0));
}

/// Subset 2 z1 + z0 of the bit x behind a state x_(i-1) + 2 x_(i-2) + ....
AXELRAM_HD std::uint32_t trellis_subset(int states, std::uint32_t state, std::uint32_t x) {
  if (states == 4) return 2 * (x ^ (state >> 1 & 1U)) + (state & 1U);
  const std::uint32_t last = states == 8 ? state >> 2 : state >> 3;
  return 2 * (x ^ (state & 1U) ^ (last & 1U)) + (state >> 1 & 1U);
}

/// The level of an index behind a state, which then has its lowest bit; the index itself if
/// `states` is 0.
AXELRAM_HD std::uint32_t next_level(int states, std::uint32_t index, std::uint32_t& state) {
  if (states == 0) return index;
  const std::uint32_t x = index & 1U;
  const std::uint32_t level = 4 * (index >> 1) + trellis_subset(states, state, x);
  state = 2 * state + x;
  return level;
}

/// The nearest level of a subset, without the two bits of the subset, and the cost of taking it.
struct TrellisBranch {
  std::uint32_t mu, cost;
};

/// upper: the `half` reconstructions of the upper half of the levels; shift: `places`.
AXELRAM_HD TrellisBranch trellis_branch(std::int32_t y, const std::int32_t* upper, int half,
                                        int subset, int shift) {
  constexpr std::uint32_t kMost = 4095;
  std::uint32_t least = ~0U, nearest = 0;
  for (int level = subset; level < 2 * half; level += 4) {
    const std::int32_t r = level < half ? -upper[half - 1 - level] : upper[level - half];
    const std::int32_t difference = y - r;
    const auto distance = static_cast<std::uint32_t>(difference < 0 ? -difference : difference);
    if (distance < least) {
      least = distance;
      nearest = static_cast<std::uint32_t>(level) / 4;
    }
  }
  const std::uint32_t rounded = (least + ((1U << shift) >> 1)) >> shift;
  const std::uint32_t delta = rounded < kMost ? rounded : kMost;
  return {nearest, delta * delta};
}

/// Level of index number `i`: indices lie one a byte.
AXELRAM_HD std::uint8_t trellis_level(int states, const std::uint8_t* indices, int i) {
  std::uint32_t state = 0;
  for (int p = 0; p < 4; ++p)
    if (i - 1 - p >= 0) state |= (indices[i - 1 - p] & 1U) << p;
  const std::uint32_t index = indices[i];
  return static_cast<std::uint8_t>(4 * (index >> 1) + trellis_subset(states, state, index & 1U));
}

}  // namespace axelram::kernels
