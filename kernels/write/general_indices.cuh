#pragma once

#include <cstdint>

#include "axelram/kernels/write.hpp"
#include "device/platform.cuh"
#include "units/quantizer.cuh"
#include "units/trellis.cuh"

/// Indices of a rotated key, as the hardware chooses them (bit-contract.md#write-4,
/// bit-contract.md#trellis), by a warp.
namespace axelram::kernels {

/// Shared memory of the search through a trellis by one warp.
template <int kDim>
struct SearchMemory {
  std::uint32_t costs[kDim][4];  ///< of the branch of each subset
  std::uint8_t mus[kDim][4];     ///< index of that branch without its lowest bit
  std::uint16_t upper[kDim];     ///< a bit for each state: it is reached from the upper half
};

/// The indices of a rotated key, one a byte, and the cost of their path: a warp finds the branches
/// of all elements, a lane for each state follows the paths, and one lane traces the best one back.
template <int kCount>
AXELRAM_DEVICE std::uint32_t search_trellis(const MacroConstants& c,
                                            const std::int32_t (&y)[kCount], std::uint32_t n,
                                            const std::int32_t* upper,
                                            SearchMemory<32 * kCount>& memory,
                                            std::uint8_t* indices) {
  constexpr int kDim = 32 * kCount;
  constexpr std::uint32_t kUnreached = 0x80000000U;  // no path of few elements costs as much
  const int places = 22 - leading_zeros(n), shift = places > 0 ? places : 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    for (int subset = 0; subset < 4; ++subset) {
      const unsigned at = lane_index() + 32U * static_cast<unsigned>(i);
      const TrellisBranch branch = trellis_branch(y[i], upper, 1 << c.index_bits, subset, shift);
      memory.costs[at][subset] = branch.cost;
      memory.mus[at][subset] = static_cast<std::uint8_t>(branch.mu);
    }
  sync_warp();

  const auto states = static_cast<unsigned>(c.states);
  const unsigned state = lane_index() % states;
  const unsigned below = state / 2, above = state / 2 + states / 2;
  const std::uint32_t from_below = trellis_subset(c.states, below, state % 2);
  const std::uint32_t from_above = trellis_subset(c.states, above, state % 2);
  std::uint32_t cost = state == 0 ? 0 : kUnreached;
  for (int i = 0; i < kDim; ++i) {
    const std::uint32_t low = shuffle(cost, below) + memory.costs[i][from_below];
    const std::uint32_t high = shuffle(cost, above) + memory.costs[i][from_above];
    const bool is_upper = high < low;  // a tie: the lower one
    cost = is_upper ? high : low;
    const std::uint32_t bits = ballot(is_upper);
    if (lane_index() == 0) memory.upper[i] = static_cast<std::uint16_t>(bits);
  }
  std::uint32_t best = shuffle(cost, 0U);
  unsigned end = 0;
  for (unsigned s = 1; s < states; ++s) {
    const std::uint32_t other = shuffle(cost, s);
    if (other < best) end = s;
    best = other < best ? other : best;
  }
  if (lane_index() == 0)
    for (int i = kDim - 1; i >= 0; --i) {
      const unsigned from = end / 2 + ((memory.upper[i] >> end & 1U) != 0 ? states / 2 : 0);
      const std::uint32_t subset = trellis_subset(c.states, from, end % 2);
      indices[i] = static_cast<std::uint8_t>(2U * memory.mus[i][subset] + end % 2);
      end = from;
    }
  sync_warp();
  return best;
}

/// Thresholds, and the number of them that each element exceeds.
template <int kCount>
AXELRAM_DEVICE void quantize(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                             const std::int32_t (&y)[kCount], std::uint32_t n,
                             std::uint8_t (&index)[kCount]) {
  const int boundaries = (1 << c.index_bits) - 1;
  for (int j = 0; j < boundaries; ++j) {
    const std::int32_t t = threshold(c.boundaries[j], n, c.boundary_fraction_bits);
    AXELRAM_UNROLL
    for (int i = 0; i < kCount; ++i) index[i] = static_cast<std::uint8_t>(index[i] + (y[i] > t));
    if (out.thresholds != nullptr && lane_index() == 0)
      out.thresholds[row * static_cast<std::size_t>(boundaries) + static_cast<std::size_t>(j)] = t;
  }
}

/// Indices and levels by a trellis; the indices lie in shared memory too.
template <int kCount>
AXELRAM_DEVICE void encode(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                           const std::int32_t (&y)[kCount], std::uint32_t n,
                           SearchMemory<32 * kCount>& memory, std::uint8_t* indices,
                           std::uint8_t (&index)[kCount], std::uint8_t (&level)[kCount]) {
  const int half = 1 << c.index_bits;
  std::int32_t upper[16];
  for (int j = 0; j < half; ++j) {
    upper[j] = reconstruction(c.boundaries[j], n, c.boundary_fraction_bits);
    if (out.reconstructions == nullptr || lane_index() != 0) continue;
    std::int32_t* const to = out.reconstructions + row * static_cast<std::size_t>(2 * half) + half;
    to[j] = upper[j];
    to[-1 - j] = -upper[j];
  }
  const std::uint32_t cost = search_trellis(c, y, n, upper, memory, indices);
  if (out.path_costs != nullptr && lane_index() == 0) out.path_costs[row] = cost;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const int at = static_cast<int>(lane_index()) + 32 * i;
    index[i] = indices[at];
    level[i] = trellis_level(c.states, indices, at);
    if (out.levels != nullptr)
      out.levels[row * (32 * kCount) + static_cast<std::size_t>(at)] = level[i];
  }
  sync_warp();
}

}  // namespace axelram::kernels
