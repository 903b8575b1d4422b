#pragma once

#include "units/feedback.cuh"
#include "units/trellis.cuh"
#include "write/feedback_memory.cuh"

/// Indices with full feedback (bit-contract.md#feedback): a warp to each key, lane l with the sums
/// of elements l, l + 32, .... Sums up to element i are not read again behind it.
namespace axelram::kernels {

constexpr int kMostFedLevels = 16;  ///< of a codebook

/// Without a trellis.
template <int kTheDim>
struct EachFull {
  static constexpr int kDim = kTheDim;
  static constexpr bool kTrellis = false, kFull = true;

  static AXELRAM_DEVICE void encode(const MacroConstants& c, const FedHead& f,
                                    FedMemory<kDim>& memory, unsigned keys, std::uint8_t*) {
    constexpr int kCount = kDim / 32;
    const unsigned lane = lane_index();
    for (unsigned key = warp_index(); key < keys; key += kFedWarps) {
      float levels[kMostFedLevels], bounds[kMostFedLevels - 1];
      scale_levels(f.levels, 0, 1, 1 << c.index_bits, memory.roots[key], levels);
      bounds_of(levels, bounds);
      float sums[kCount] = {};
      AXELRAM_UNROLL
      for (int block = 0; block < kCount; ++block) {
        std::uint32_t mine = 0;
        AXELRAM_ROLLED
        for (unsigned at = 0; at < 32; ++at) {
          const unsigned i = 32U * static_cast<unsigned>(block) + at;
          const auto element = static_cast<float>(memory.y[key][i]);
          const FedLevel chosen = next_to(element + shuffle(sums[block], at), levels, bounds);
          mine = lane == at ? chosen.index : mine;
          const float error = element - chosen.level;
          const float* const column = f.columns + i * kDim + lane;
          AXELRAM_UNROLL
          for (int k = block; k < kCount; ++k) sums[k] = sums[k] + load(column + 32 * k) * error;
        }
        memory.indices[key][32U * static_cast<unsigned>(block) + lane] =
            static_cast<std::uint8_t>(mine);
      }
    }
  }
};

/// With a trellis: besides, a lane to each state, and sums for each.
template <int kTheDim, int kStates>
struct PathFull {
  static constexpr int kDim = kTheDim;
  static constexpr bool kTrellis = true, kFull = true;

  static AXELRAM_DEVICE void encode(const MacroConstants& c, const FedHead& f,
                                    FedMemory<kDim>& memory, unsigned keys, std::uint8_t* steps) {
    for (unsigned key = warp_index(); key < keys; key += kFedWarps)
      encode_key(1 << (c.index_bits - 1), f, memory.y[key], memory.roots[key], steps,
                 memory.indices[key]);
  }

 private:
  static AXELRAM_DEVICE void encode_key(int in_subset, const FedHead& f, const std::int32_t* y,
                                        std::uint32_t root, std::uint8_t* steps,
                                        std::uint8_t* indices) {
    constexpr int kCount = kDim / 32, kInSubset = kMostFedLevels / 2;
    const unsigned lane = lane_index(), state = lane % kStates;
    const unsigned below = state / 2, above = below + kStates / 2;
    float from_below[kInSubset], from_above[kInSubset];
    scale_levels(f.levels, static_cast<int>(trellis_subset(kStates, below, state % 2)), 4,
                 in_subset, root, from_below);
    scale_levels(f.levels, static_cast<int>(trellis_subset(kStates, above, state % 2)), 4,
                 in_subset, root, from_above);
    float cost = state == 0 ? 0 : kNoLevel, sums[kCount][kStates] = {};
    AXELRAM_UNROLL
    for (int block = 0; block < kCount; ++block) {
      AXELRAM_ROLLED
      for (unsigned at = 0; at < 32; ++at) {
        const unsigned i = 32U * static_cast<unsigned>(block) + at;
        const auto element = static_cast<float>(y[i]);
        const float weight = load(f.weights + i);
        float low_sum = 0, high_sum = 0;
        AXELRAM_UNROLL
        for (unsigned s = 0; s < kStates; ++s) {
          const float sum = shuffle(sums[block][s], at);
          low_sum = s == below ? sum : low_sum;
          high_sum = s == above ? sum : high_sum;
        }
        const FedBranch low =
            fed_branch(shuffle(cost, below), element + low_sum, weight, from_below);
        const FedBranch high =
            fed_branch(shuffle(cost, above), element + high_sum, weight, from_above);
        const bool upper = high.cost < low.cost;  // a tie: the lower one
        cost = upper ? high.cost : low.cost;
        steps[32 * i + lane] = step_of(upper ? high.mu : low.mu, upper);
        const float error = element - (upper ? high.level : low.level);
        const std::uint32_t from_upper = ballot(upper);
        float errors[kStates];
        AXELRAM_UNROLL
        for (unsigned s = 0; s < kStates; ++s) errors[s] = shuffle(error, s);
        const float* const column = f.columns + i * kDim + lane;
        AXELRAM_UNROLL
        for (int k = block; k < kCount; ++k) {
          const float g = load(column + 32 * k);
          float next[kStates];
          AXELRAM_UNROLL
          for (unsigned s = 0; s < kStates; ++s) {
            const bool is_upper = (from_upper >> s & 1U) != 0;
            next[s] = (is_upper ? sums[k][s / 2 + kStates / 2] : sums[k][s / 2]) + g * errors[s];
          }
          AXELRAM_UNROLL
          for (unsigned s = 0; s < kStates; ++s) sums[k][s] = next[s];
        }
      }
    }
    const unsigned end = least_state(cost, 0, kStates);
    sync_warp();
    if (lane == 0) trace_back(steps, end, kStates, kDim, indices);
    sync_warp();
  }
};

/// The factor of a norm, by a warp: lane l has elements l, l + 32, ... and their levels.
template <int kCount>
AXELRAM_DEVICE double norm_factor(const FedHead& f, const std::int32_t (&y)[kCount],
                                  const float (&level)[kCount]) {
  FedSums sums;
  double gy[kCount] = {}, gx[kCount] = {};
  AXELRAM_UNROLL
  for (int block = 0; block < kCount; ++block) AXELRAM_ROLLED
  for (unsigned at = 0; at < 32; ++at) {
    const unsigned i = 32U * static_cast<unsigned>(block) + at;
    const double element = shuffle(y[block], at), next = double{shuffle(level[block], at)};
    sums.add(element, next, double{load(f.weights + i)}, shuffle(gy[block], at) + element,
             shuffle(gx[block], at) + next);
    const float* const column = f.columns + i * (32 * kCount) + lane_index();
    AXELRAM_UNROLL
    for (int k = block; k < kCount; ++k) {
      const double g = double{load(column + 32 * k)};
      gy[k] += g * element;
      gx[k] += g * next;
    }
  }
  return sums.factor();
}

}  // namespace axelram::kernels
