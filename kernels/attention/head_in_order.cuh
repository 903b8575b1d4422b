#pragma once

#include <cstdint>

#include "axelram/kernels/attend_in_order.hpp"
#include "axelram/kernels/constants.hpp"
#include "common/reductions.cuh"
#include "units/attention_output.cuh"
#include "units/hadamard.cuh"

namespace axelram::kernels {

/// The ROM that the warps of a block share, in shared memory.
struct AttentionRom {
  PowerRows power;
  std::int32_t centroids[32];

  /// All threads of a block.
  AXELRAM_DEVICE void fill(const MacroConstants& values, const AttentionConstants& a) {
    for (unsigned i = thread_index(); i < 64; i += block_threads()) {
      power.base[i] = a.power_bases[i];
      power.slope[i] = a.power_slopes[i];
      if (i < 32) centroids[i] = values.centroids[i];
    }
  }
};

/// Results of a query head behind its last token. Its sums are in HeadInOrder.
template <int kChannels>
struct HeadOutput {
  std::int32_t shift;
  std::uint32_t reciprocal;
  std::int32_t rotated[kChannels];
  std::uint32_t bits[kChannels];
  bool saturated;  ///< of any channel
};

/// Attention of a query head by a warp (bit-contract.md#softmax, bit-contract.md#weighted-sum,
/// bit-contract.md#attention-output). Lane l has channels kDim / 32 * l and the next ones, their
/// sums as integers of 64 bits, and token l of every 32.
template <int kDim>
struct HeadInOrder {
  static constexpr int kChannels = kDim / 32;
  std::int64_t sums[kChannels] = {};
  SoftmaxIntegers state;

  /// The next `count` tokens, 1..32: lane l has the logit of token l and the norm of its value.
  /// level(token, i): of the lane's channel i. Returns the weight of token l.
  template <class Level>
  AXELRAM_DEVICE TokenWeight add(int count, std::int32_t z, std::uint16_t norm,
                                 const AttentionRom& rom, const AttentionConstants& a,
                                 Level&& level) {
    const bool here = static_cast<int>(lane_index()) < count;
    const TokenWeight mine =
        weigh_tokens(state, count, power_of_two_ref(here ? z : 0, rom.power), norm, a.weight_bits);
    const std::uint32_t shifted = ballot(mine.shift != 0);
    for (int token = 0; token < count; ++token) {
      const auto lane = static_cast<unsigned>(token);
      if ((shifted >> lane & 1) != 0) {
        const std::int32_t shift = shuffle(mine.shift, lane);
        AXELRAM_UNROLL
        for (int i = 0; i < kChannels; ++i) sums[i] = shift_right_half_up(sums[i], shift);
      }
      const std::int32_t weight = shuffle(mine.weight, lane);
      AXELRAM_UNROLL
      for (int i = 0; i < kChannels; ++i)
        sums[i] += std::int64_t{weight} * rom.centroids[level(token, i)];
    }
    return mine;
  }

  /// signs: [kDim], those of the queries.
  AXELRAM_DEVICE HeadOutput<kChannels> finish(const MacroConstants& values,
                                              const AttentionConstants& a,
                                              const std::int8_t* signs) const {
    HeadOutput<kChannels> out;
    std::uint64_t magnitudes = 0;
    AXELRAM_UNROLL
    for (int i = 0; i < kChannels; ++i)
      magnitudes |= static_cast<std::uint64_t>(sums[i] < 0 ? -sums[i] : sums[i]);
    const auto either = [](std::uint64_t x, std::uint64_t y) { return x | y; };
    const int length = 64 - leading_zeros(over_warp(magnitudes, either));
    const int bits = values.significand_bits - 1;
    out.shift = length > bits ? length - bits : 0;
    const std::int32_t limit = (1 << bits) - 1;
    std::int32_t y[kChannels];
    AXELRAM_UNROLL
    for (int i = 0; i < kChannels; ++i) {
      const std::uint64_t magnitude =
          shift_right_rne(static_cast<std::uint64_t>(sums[i] < 0 ? -sums[i] : sums[i]), out.shift);
      const std::int32_t h = magnitude > static_cast<std::uint64_t>(limit)
                                 ? limit
                                 : static_cast<std::int32_t>(magnitude);
      y[i] = sums[i] < 0 ? -h : h;
    }
    butterfly_stages<1, kChannels>(y);
    lane_stages<1, 32>(y);

    out.reciprocal = reciprocal_ref(state.denominator, a.value_significand);
    const std::int32_t exponent =
        output_exponent(state, a.value_exponent, out.shift, a.weight_bits);
    const std::int8_t* const mine = signs + kChannels * static_cast<int>(lane_index());
    bool beyond = false;
    AXELRAM_UNROLL
    for (int i = 0; i < kChannels; ++i) {
      bool saturated = false;
      out.rotated[i] = load(mine + i) < 0 ? -y[i] : y[i];
      out.bits[i] = output_ref(out.rotated[i], out.reciprocal, exponent, a.fp32, &saturated);
      beyond = beyond || saturated;
    }
    out.saturated = any_lane(beyond);
    return out;
  }
};

}  // namespace axelram::kernels
