#include <algorithm>
#include <string>

#include "axelram/kernels/attend_in_order.hpp"
#include "axelram/logit.hpp"
#include "axelram/power_of_two.hpp"
#include "common/reductions.cuh"
#include "common/row_checks.hpp"
#include "device/launch.cuh"
#include "units/attention_output.cuh"
#include "units/hadamard.cuh"
#include "units/staged_record.cuh"
#include "units/trellis.cuh"

namespace axelram::kernels {
namespace {

constexpr unsigned kWarps = 4;  // of a block: a query head each

template <class T>
AXELRAM_DEVICE void put(T* to, std::size_t at, T value) {
  if (to != nullptr) to[at] = value;
}

/// The level of element i of a record.
AXELRAM_DEVICE std::uint32_t level_of(const std::uint32_t* record, int index_bits, int states,
                                      int i) {
  std::uint32_t state = 0;
  for (int p = 0; p < 4 && states != 0; ++p)
    if (i - 1 - p >= 0) state |= (staged_index(record, index_bits, i - 1 - p) & 1U) << p;
  return next_level(states, staged_index(record, index_bits, i), state);
}

/// Lane l has channels kDim / 32 * l and the next ones, their sums as integers of 64 bits. All
/// lanes compute the scalars of a token. A token takes one staged record, some 60 instructions for
/// its weight, and 10 a channel: the latency of its dependent shifts is the limit.
template <int kDim>
AXELRAM_KERNEL void AXELRAM_BOUNDS(32 * kWarps, 1)
    attend_in_order_kernel(MacroConstants c, AttentionConstants a, const std::int8_t* signs,
                           const float* scores, std::size_t queries, const std::uint16_t* records,
                           std::size_t tokens, AttendedInOrder out) {
  constexpr int kChannels = kDim / 32;
  const std::size_t query = std::size_t{block_x()} * kWarps + warp_index();
  const int halfwords = c.record_bytes() / 2, words = staged_words(16 * halfwords);
  auto* const all = shared_memory<std::uint32_t>();
  auto* const power = reinterpret_cast<PowerRows*>(all);
  auto* const centroids = reinterpret_cast<std::int32_t*>(power + 1);
  auto* const staged = reinterpret_cast<std::uint32_t*>(centroids + 32) +
                       static_cast<std::size_t>(warp_index()) * static_cast<std::size_t>(words);
  for (unsigned i = thread_index(); i < 64; i += block_threads()) {
    power->base[i] = a.power_bases[i];
    power->slope[i] = a.power_slopes[i];
    if (i < 32) centroids[i] = c.centroids[i];
  }
  sync_block();
  if (query >= queries) return;

  const int lane = static_cast<int>(lane_index()), first = kChannels * lane;
  std::int64_t sums[kChannels] = {};
  SoftmaxIntegers state;
  for (std::size_t t = 0; t < tokens; ++t) {
    stage_record(staged, words, records + t * static_cast<std::size_t>(halfwords), halfwords);
    sync_warp();
    const std::size_t at = query * tokens + t;
    bool saturated = false;
    const std::int32_t z =
        logit_ref(load(scores + at), a.softmax_significand, a.softmax_exponent, &saturated);
    const TokenWeight token = softmax_ref(state, power_of_two_ref(z, *power),
                                          staged_norm(staged, kDim * c.index_bits), a.weight_bits);
    if (token.present) {
      AXELRAM_UNROLL
      for (int i = 0; i < kChannels; ++i) {
        const std::int64_t product = std::int64_t{token.weight} *
                                     centroids[level_of(staged, c.index_bits, c.states, first + i)];
        sums[i] = (token.first ? 0 : shift_right_half_up(sums[i], token.shift)) + product;
      }
    }
    if (lane == 0) {
      put(out.logits, at, z);
      put(out.logit_saturated, at, static_cast<std::uint8_t>(saturated ? 1 : 0));
      put(out.weights, at, token.weight);
      put(out.weight_references, at, state.weight_reference);
    }
    sync_warp();
  }

  std::uint64_t magnitudes = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kChannels; ++i)
    magnitudes |= static_cast<std::uint64_t>(sums[i] < 0 ? -sums[i] : sums[i]);
  const auto either = [](std::uint32_t x, std::uint32_t y) { return x | y; };
  const std::uint64_t together =
      std::uint64_t{over_warp(static_cast<std::uint32_t>(magnitudes >> 32), either)} << 32 |
      over_warp(static_cast<std::uint32_t>(magnitudes), either);
  const int length = 64 - leading_zeros(together);
  const int shift = length > c.significand_bits - 1 ? length - (c.significand_bits - 1) : 0;
  const std::int32_t limit = (1 << (c.significand_bits - 1)) - 1;
  std::int32_t y[kChannels];
  AXELRAM_UNROLL
  for (int i = 0; i < kChannels; ++i) {
    const std::uint64_t magnitude =
        shift_right_rne(static_cast<std::uint64_t>(sums[i] < 0 ? -sums[i] : sums[i]), shift);
    const std::int32_t h = magnitude > static_cast<std::uint64_t>(limit)
                               ? limit
                               : static_cast<std::int32_t>(magnitude);
    y[i] = sums[i] < 0 ? -h : h;
  }
  butterfly_stages<1, kChannels>(y);
  lane_stages<1, 32>(y);

  const std::uint32_t reciprocal = reciprocal_ref(state.denominator, a.value_significand);
  const std::int32_t exponent = output_exponent(state, a.value_exponent, shift, a.weight_bits);
  bool beyond = false;
  AXELRAM_UNROLL
  for (int i = 0; i < kChannels; ++i) {
    const std::size_t at = query * kDim + static_cast<std::size_t>(first + i);
    const std::int32_t rotated = load(signs + first + i) < 0 ? -y[i] : y[i];
    bool saturated = false;
    const std::uint32_t bits = output_ref(rotated, reciprocal, exponent, a.fp32, &saturated);
    beyond = beyond || saturated;
    put(out.sums, at, sums[i]);
    put(out.rotated, at, rotated);
    put(out.outputs, at, bits);
  }
  beyond = any_lane(beyond);
  if (lane != 0) return;
  put(out.maxima, query, state.maximum);
  put(out.denominators, query, state.denominator);
  put(out.output_shifts, query, static_cast<std::int32_t>(shift));
  put(out.reciprocals, query, reciprocal);
  put(out.output_saturated, query, static_cast<std::uint8_t>(beyond ? 1 : 0));
}

}  // namespace

AttentionConstants attention_constants(const AttentionParameters& attention,
                                       const CodebookRom& rom) {
  AttentionConstants a{};
  a.weight_bits = attention.weight_bits;
  a.fp32 = attention.output == OutputFormat::fp32;
  const BinaryScale of_scores = softmax_scale(rom.score_scale, attention.scale);
  const BinaryScale of_values = value_scale(rom.score_scale);
  a.softmax_significand = of_scores.significand;
  a.softmax_exponent = of_scores.exponent;
  a.value_significand = of_values.significand;
  a.value_exponent = of_values.exponent;
  const PowerOfTwoRom& power = power_of_two_rom();
  std::copy(power.base.begin(), power.base.end(), a.power_bases);
  std::copy(power.slope.begin(), power.slope.end(), a.power_slopes);
  return a;
}

void attend_in_order(Stream& stream, const MacroConstants& c, const AttentionConstants& a,
                     const std::int8_t* signs, const float* scores, std::size_t queries,
                     const std::uint8_t* records, std::size_t tokens, const AttendedInOrder& out) {
  constexpr const char* kName = "attend_in_order";
  check_constants(kName, c);
  require_one_part(kName, c);
  const std::string shapes = "scores [" + std::to_string(queries) + ", " + std::to_string(tokens) +
                             "], records [" + std::to_string(tokens) + ", " +
                             std::to_string(c.record_bytes()) + "]";
  require(a.weight_bits >= 12 && a.weight_bits <= 28, kName, shapes, "weight_bits out of 12..28");
  if (queries == 0) return;
  require(signs != nullptr, kName, shapes, "no signs");
  require(tokens == 0 || (scores != nullptr && records != nullptr), kName, shapes,
          "no scores or no records");
  const auto words = static_cast<std::size_t>(staged_words(8 * c.record_bytes()));
  const Launch l{kName,
                 shapes,
                 (queries + kWarps - 1) / kWarps,
                 1,
                 1,
                 32 * kWarps,
                 sizeof(PowerRows) + 4 * 32 + 4 * kWarps * words};
  const auto* const halfwords = reinterpret_cast<const std::uint16_t*>(records);
  const auto run = [&](auto kernel) {
    launch(stream, l, kernel, c, a, signs, scores, queries, halfwords, tokens, out);
  };
  if (c.head_dim == 32) return run(attend_in_order_kernel<32>);
  if (c.head_dim == 64) return run(attend_in_order_kernel<64>);
  if (c.head_dim == 128) return run(attend_in_order_kernel<128>);
  run(attend_in_order_kernel<256>);
}

}  // namespace axelram::kernels
