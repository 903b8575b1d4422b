#pragma once

#include <cstdint>

#include "axelram/kernels/write.hpp"
#include "common/general_row.cuh"
#include "units/quantizer.cuh"
#include "units/trellis.cuh"
#include "write/vector_codebook.cuh"

/// Indices of a rotated key, as the hardware chooses them (bit-contract.md#write-4,
/// bit-contract.md#trellis), by a warp: of a vector on kLanes lanes, as general_row.cuh has it.
namespace axelram::kernels {

/// Shared memory of the search through a trellis by one warp.
template <int kDim>
struct SearchMemory {
  std::int32_t levels[2][16];    ///< of each vector: the upper half of its R_j
  std::uint32_t costs[kDim][4];  ///< of the branch of each subset
  std::uint8_t mus[kDim][4];     ///< index of that branch without its lowest bit
  std::uint16_t upper[kDim];     ///< a bit for each state: it is reached from the upper half
};

/// The indices of a rotated key, one a byte, and the cost of their path: a warp finds the branches
/// of all elements, a lane for each state follows the paths, and one lane traces the best one back.
template <unsigned kLanes, int kCount>
AXELRAM_DEVICE std::uint32_t search_trellis(const MacroConstants& c,
                                            const std::int32_t (&y)[kCount], std::uint32_t n,
                                            const std::int32_t* upper,
                                            SearchMemory<32 * kCount>& memory,
                                            std::uint8_t* indices) {
  constexpr unsigned kElements = kLanes * static_cast<unsigned>(kCount);
  constexpr std::uint32_t kUnreached = 0x80000000U;  // no path of few elements costs as much
  const int places = 22 - leading_zeros(n), shift = places > 0 ? places : 0;
  const int half = 1 << VectorCodebook<kLanes>(c).index_bits();
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    for (int subset = 0; subset < 4; ++subset) {
      const std::size_t at = place_in_row<kCount, kLanes>(i);
      const TrellisBranch branch = trellis_branch(y[i], upper, half, subset, shift);
      memory.costs[at][subset] = branch.cost;
      memory.mus[at][subset] = static_cast<std::uint8_t>(branch.mu);
    }
  sync_warp();

  const auto states = static_cast<unsigned>(c.states);
  const unsigned lane_of_first = lane_index() & ~(kLanes - 1), state = lane_index() % states;
  const unsigned below = state / 2, above = state / 2 + states / 2;
  const std::uint32_t from_below = trellis_subset(c.states, below, state % 2);
  const std::uint32_t from_above = trellis_subset(c.states, above, state % 2);
  std::uint32_t cost = state == 0 ? 0 : kUnreached;
  const unsigned first = first_of_vector<kCount, kLanes>();
  for (unsigned i = first; i < first + kElements; ++i) {
    const std::uint32_t low = shuffle(cost, lane_of_first + below) + memory.costs[i][from_below];
    const std::uint32_t high = shuffle(cost, lane_of_first + above) + memory.costs[i][from_above];
    const bool is_upper = high < low;  // a tie: the lower one
    cost = is_upper ? high : low;
    const std::uint32_t bits = ballot(is_upper) >> lane_of_first;
    if (lane_index() == lane_of_first) memory.upper[i] = static_cast<std::uint16_t>(bits);
  }
  std::uint32_t best = shuffle(cost, lane_of_first);
  unsigned end = 0;
  for (unsigned s = 1; s < states; ++s) {
    const std::uint32_t other = shuffle(cost, lane_of_first + s);
    if (other < best) end = s;
    best = other < best ? other : best;
  }
  if (lane_index() == lane_of_first)
    for (unsigned i = first + kElements; i-- > first;) {
      const unsigned from = end / 2 + ((memory.upper[i] >> end & 1U) != 0 ? states / 2 : 0);
      const std::uint32_t subset = trellis_subset(c.states, from, end % 2);
      indices[i] = static_cast<std::uint8_t>(2U * memory.mus[i][subset] + end % 2);
      end = from;
    }
  sync_warp();
  return best;
}

/// Thresholds, and the number of them that each element exceeds.
template <unsigned kLanes = 32, int kCount>
AXELRAM_DEVICE void quantize(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                             const std::int32_t (&y)[kCount], std::uint32_t n,
                             std::uint8_t (&index)[kCount]) {
  const VectorCodebook<kLanes> codebook(c);
  const int boundaries = (1 << codebook.index_bits()) - 1;
  for (int j = 0; j < boundaries; ++j) {
    const std::int32_t t = threshold(codebook.boundary(j), n, c.boundary_fraction_bits);
    AXELRAM_UNROLL
    for (int i = 0; i < kCount; ++i) index[i] = static_cast<std::uint8_t>(index[i] + (y[i] > t));
    if (out.thresholds != nullptr && lane_index() % kLanes == 0)
      out.thresholds[codebook.first_boundary(row) + static_cast<std::size_t>(j)] = t;
  }
}

/// R_j of the upper half of the levels, at most kLanes, a lane to each; the lower half mirrors it.
/// word: of the lane's level. upper: shared memory of the vector. Ends with sync_warp().
template <unsigned kLanes>
AXELRAM_DEVICE void reconstruct(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                                std::uint32_t n, int half, std::int32_t word, std::int32_t* upper) {
  const auto j = static_cast<int>(lane_index() % kLanes);
  if (j < half) {
    const std::int32_t level = reconstruction(word, n, c.boundary_fraction_bits);
    upper[j] = level;
    if (out.reconstructions != nullptr) {
      std::int32_t* const to =
          out.reconstructions + VectorCodebook<kLanes>(c).first_level(row) + half;
      to[j] = level;
      to[-1 - j] = -level;
    }
  }
  sync_warp();
}

/// Indices and levels by a trellis; the indices lie in shared memory too.
template <unsigned kLanes = 32, int kCount>
AXELRAM_DEVICE void encode(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                           const std::int32_t (&y)[kCount], std::uint32_t n,
                           SearchMemory<32 * kCount>& memory, std::uint8_t* indices,
                           std::uint8_t (&index)[kCount], std::uint8_t (&level)[kCount]) {
  const VectorCodebook<kLanes> codebook(c);
  std::int32_t* const upper = memory.levels[codebook.second() ? 1 : 0];
  const int own_level = static_cast<int>(lane_index() % 16);
  reconstruct<kLanes>(c, out, row, n, 1 << codebook.index_bits(), codebook.boundary(own_level),
                      upper);
  const std::uint32_t cost = search_trellis<kLanes>(c, y, n, upper, memory, indices);
  if (out.path_costs != nullptr && lane_index() % kLanes == 0)
    out.path_costs[codebook.number(row)] = cost;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const std::size_t first = first_of_vector<kCount, kLanes>();
    const std::size_t at = place_in_row<kCount, kLanes>(i);
    index[i] = indices[at];
    level[i] = trellis_level(c.states, indices + first, static_cast<int>(at - first));
    if (out.levels != nullptr) out.levels[row * (32 * kCount) + at] = level[i];
  }
  sync_warp();
}

}  // namespace axelram::kernels
