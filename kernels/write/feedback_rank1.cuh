#pragma once

#include "units/feedback.cuh"
#include "units/trellis.cuh"
#include "write/feedback_memory.cuh"

/// Indices with feedback of rank 1 (bit-contract.md#feedback): keys side by side, since each
/// element of a key waits for the one before it.
namespace axelram::kernels {

/// Without a trellis: one warp, a key to a lane.
template <int kTheDim, int kBits>
struct EachRank1 {
  static constexpr int kDim = kTheDim;
  static constexpr bool kTrellis = false, kFull = false;

  static AXELRAM_DEVICE void encode(const MacroConstants&, const FedHead& f,
                                    FedMemory<kDim>& memory, unsigned keys, std::uint8_t*) {
    constexpr int kLevels = 1 << kBits, kTogether = 4;
    if (warp_index() != 0) return;
    const unsigned key = lane_index() < keys ? lane_index() : keys - 1;
    float levels[kLevels], bounds[kLevels - 1];
    scale_levels(f.levels, 0, 1, kLevels, memory.roots[key], levels);
    bounds_of(levels, bounds);
    float sum = 0;
    for (int first = 0; first < kDim; first += kTogether) {
      std::uint32_t word = 0;
      float element[kTogether];
      AXELRAM_UNROLL
      for (int i = 0; i < kTogether; ++i) element[i] = static_cast<float>(memory.y[key][first + i]);
      AXELRAM_UNROLL
      for (int i = 0; i < kTogether; ++i) {
        const float a = load(f.a + first + i), u = load(f.u + first + i);
        const FedLevel chosen = next_to(element[i] + a * sum, levels, bounds);
        sum = sum + u * (element[i] - chosen.level);
        word |= chosen.index << (8 * i);
      }
      if (lane_index() < keys)
        *reinterpret_cast<std::uint32_t*>(&memory.indices[key][first]) = word;
    }
  }
};

/// With a trellis: a lane to each state of a key.
template <int kTheDim, int kBits>
struct PathRank1 {
  static constexpr int kDim = kTheDim;
  static constexpr bool kTrellis = true, kFull = false;

  static AXELRAM_DEVICE void encode(const MacroConstants& c, const FedHead& f,
                                    FedMemory<kDim>& memory, unsigned keys, std::uint8_t* steps) {
    const auto states = static_cast<unsigned>(c.states);
    const unsigned together = 32 / states;
    for (unsigned first = warp_index() * together; first < keys; first += kFedWarps * together)
      encode_together(f, memory, keys, first, states, steps);
  }

 private:
  /// Keys first, first + 1, ..., as many as a warp has lanes for.
  static AXELRAM_DEVICE void encode_together(const FedHead& f, FedMemory<kDim>& memory,
                                             unsigned keys, unsigned first, unsigned states,
                                             std::uint8_t* steps) {
    constexpr int kInSubset = 1 << (kBits - 1);
    const unsigned lane = lane_index(), state = lane % states, lane_of_first = lane - state;
    const unsigned wanted = first + lane / states, key = wanted < keys ? wanted : keys - 1;
    const unsigned below = state / 2, above = below + states / 2, x = state % 2;
    const int of_states = static_cast<int>(states);
    const std::uint32_t root = memory.roots[key];
    float from_below[kInSubset], from_above[kInSubset];
    scale_levels(f.levels, static_cast<int>(trellis_subset(of_states, below, x)), 4, kInSubset,
                 root, from_below);
    scale_levels(f.levels, static_cast<int>(trellis_subset(of_states, above, x)), 4, kInSubset,
                 root, from_above);
    float cost = state == 0 ? 0 : kNoLevel, sum = 0;
    for (int i = 0; i < kDim; ++i) {
      const auto element = static_cast<float>(memory.y[key][i]);
      const float weight = load(f.weights + i), a = load(f.a + i), u = load(f.u + i);
      const float low_sum = shuffle(sum, lane_of_first + below);
      const float high_sum = shuffle(sum, lane_of_first + above);
      const FedBranch low = fed_branch(shuffle(cost, lane_of_first + below), element + a * low_sum,
                                       weight, from_below);
      const FedBranch high = fed_branch(shuffle(cost, lane_of_first + above),
                                        element + a * high_sum, weight, from_above);
      const bool upper = high.cost < low.cost;  // a tie: the lower one
      cost = upper ? high.cost : low.cost;
      sum = (upper ? high_sum : low_sum) + u * (element - (upper ? high.level : low.level));
      steps[32 * i + static_cast<int>(lane)] = step_of(upper ? high.mu : low.mu, upper);
    }
    const unsigned end = least_state(cost, lane_of_first, states);
    sync_warp();
    if (state == 0 && wanted < keys)
      trace_back(steps + lane, end, states, kDim, memory.indices[key]);
    sync_warp();
  }
};

}  // namespace axelram::kernels
