#include <algorithm>
#include <string>

#include "attention/check_attention.hpp"
#include "attention/head_in_order.cuh"
#include "axelram/kernels/attend_in_order.hpp"
#include "axelram/logit.hpp"
#include "axelram/power_of_two.hpp"
#include "common/row_checks.hpp"
#include "device/launch.cuh"
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

/// 32 tokens are staged, and weighed together, one a lane. Each of them then takes some 15
/// instructions a channel, most of them to find its level.
template <int kDim>
AXELRAM_KERNEL void AXELRAM_BOUNDS(32 * kWarps, 1)
    attend_in_order_kernel(MacroConstants c, AttentionConstants a, const std::int8_t* signs,
                           const float* scores, std::size_t queries, const std::uint16_t* records,
                           std::size_t tokens, AttendedInOrder out) {
  constexpr int kChannels = kDim / 32;
  const std::size_t query = std::size_t{block_x()} * kWarps + warp_index();
  const int halfwords = c.record_bytes() / 2, words = staged_words(16 * halfwords);
  auto* const rom = shared_memory<AttentionRom>();
  auto* const staged =
      reinterpret_cast<std::uint32_t*>(rom + 1) +
      static_cast<std::size_t>(warp_index()) * static_cast<std::size_t>(32 * words);
  rom->fill(c, a);
  sync_block();
  if (query >= queries) return;

  const int lane = static_cast<int>(lane_index()), first = kChannels * lane;
  HeadInOrder<kDim> head;
  for (std::size_t begin = 0; begin < tokens; begin += 32) {
    const int count = static_cast<int>(tokens - begin < 32 ? tokens - begin : 32);
    for (int t = 0; t < count; ++t)
      stage_record(
          staged + t * words, words,
          records + (begin + static_cast<std::size_t>(t)) * static_cast<std::size_t>(halfwords),
          halfwords);
    sync_warp();
    const bool here = lane < count;
    const std::size_t at = query * tokens + begin + static_cast<std::size_t>(lane);
    bool saturated = false;
    const std::int32_t z = logit_ref(here ? load(scores + at) : 0, a.softmax_significand,
                                     a.softmax_exponent, &saturated);
    const std::uint16_t norm =
        here ? staged_norm(staged + lane * words, kDim * c.index_bits) : std::uint16_t{0};
    const TokenWeight token = head.add(count, z, norm, *rom, a, [&](int t, int i) {
      return level_of(staged + t * words, c.index_bits, c.states, first + i);
    });
    if (here) {
      put(out.logits, at, z);
      put(out.logit_saturated, at, static_cast<std::uint8_t>(saturated ? 1 : 0));
      put(out.weights, at, static_cast<std::uint32_t>(token.weight));
      put(out.weight_references, at, token.reference);
    }
    sync_warp();
  }

  const HeadOutput<kChannels> done = head.finish(c, a, signs);
  AXELRAM_UNROLL
  for (int i = 0; i < kChannels; ++i) {
    const std::size_t at = query * kDim + static_cast<std::size_t>(first + i);
    put(out.sums, at, head.sums[i]);
    put(out.rotated, at, done.rotated[i]);
    put(out.outputs, at, done.bits[i]);
  }
  if (lane != 0) return;
  put(out.maxima, query, head.state.maximum);
  put(out.denominators, query, head.state.denominator);
  put(out.output_shifts, query, done.shift);
  put(out.reciprocals, query, done.reciprocal);
  put(out.output_saturated, query, static_cast<std::uint8_t>(done.saturated ? 1 : 0));
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
  check_weight_bits(kName, shapes, a);
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
                 sizeof(AttentionRom) + 4 * 32 * kWarps * words};
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
