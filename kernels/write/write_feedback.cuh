#pragma once

#include <algorithm>
#include <string>

#include "axelram/kernels/feedback.hpp"
#include "common/general_row.cuh"
#include "common/write_events.cuh"
#include "device/launch.cuh"
#include "units/norm.cuh"
#include "units/scale.cuh"
#include "write/feedback_full.cuh"
#include "write/feedback_memory.cuh"
#include "write/general_indices.cuh"
#include "write/general_key.cuh"

/// The kernel of keys with feedback, around an encoder: EachRank1, PathRank1, EachFull, PathFull.
namespace axelram::kernels {

/// A warp's memory for a search: steps with feedback, or of the hardware's trellis.
template <class Encoder>
constexpr std::size_t search_bytes() {
  if (!Encoder::kTrellis) return 0;
  return std::max(sizeof(SearchMemory<Encoder::kDim>), std::size_t{32} * Encoder::kDim);
}

/// Indices of the keys of a head without feedback, a warp to each.
template <class Encoder>
AXELRAM_DEVICE void encode_plainly(const MacroConstants& c, FedMemory<Encoder::kDim>& memory,
                                   unsigned keys, std::uint8_t* search) {
  constexpr int kCount = Encoder::kDim / 32;
  for (unsigned k = warp_index(); k < keys; k += kFedWarps) {
    std::int32_t y[kCount];
    std::uint8_t index[kCount] = {};
    AXELRAM_UNROLL
    for (int i = 0; i < kCount; ++i)
      y[i] = memory.y[k][lane_index() + 32U * static_cast<unsigned>(i)];
    if constexpr (Encoder::kTrellis) {
      std::uint8_t level[kCount];
      encode(c, {}, 0, y, memory.roots[k], *reinterpret_cast<SearchMemory<Encoder::kDim>*>(search),
             memory.indices[k], index, level);
    } else {
      quantize(c, {}, 0, y, memory.roots[k], index);
      AXELRAM_UNROLL
      for (int i = 0; i < kCount; ++i)
        memory.indices[k][lane_index() + 32U * static_cast<unsigned>(i)] = index[i];
    }
  }
}

/// Norm, copy and record of key k, number `row`, by a warp. fed: its indices were chosen with
/// feedback.
template <class Encoder>
AXELRAM_DEVICE void finish_key(const MacroConstants& c, const FedHead& f, bool fed,
                               const FedMemory<Encoder::kDim>& memory, unsigned k, std::size_t row,
                               const WrittenRows& out) {
  constexpr int kDim = Encoder::kDim, kCount = kDim / 32;
  const std::uint8_t* const indices = memory.indices[k];
  GeneralRow<kCount> key;
  std::uint8_t level[kCount];
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const unsigned at = lane_index() + 32U * static_cast<unsigned>(i);
    key.m[i] = memory.y[k][at];
    level[i] = indices[at];
    if (out.indices != nullptr) out.indices[row * kDim + at] = indices[at];
    if constexpr (Encoder::kTrellis) {
      level[i] = trellis_level(c.states, indices, static_cast<int>(at));
      if (out.levels != nullptr) out.levels[row * kDim + at] = level[i];
    }
  }
  key.e = memory.exponents[k];
  key.finite = memory.finite[k];

  const std::int64_t a = correlation(c, key.m, level);
  const int exponent = c.log2_dim + c.centroid_bits - 2 + key.e;
  bool saturated = false;
  std::uint16_t half = unbiased_norm(memory.squares[k], a, exponent, &saturated);
  if constexpr (Encoder::kFull)
    if (fed && a > 0) {
      float x[kCount];
      AXELRAM_UNROLL
      for (int i = 0; i < kCount; ++i)
        x[i] = f.levels[level[i]] * static_cast<float>(memory.roots[k]);
      half = weighted_norm(norm_factor(f, key.m, x), memory.squares[k], a, exponent, &saturated);
    }

  if (lane_index() == 0) {
    if (out.correlations != nullptr) out.correlations[row] = a;
    if (out.norms != nullptr) out.norms[row] = half;
    if (out.events != nullptr)
      count_events(out.events, static_cast<std::uint32_t>(row), key.finite, saturated);
  }
  if (out.has_copies()) store_copy(c, out, row, key);
  if (out.records != nullptr) store_record<kDim>(c, out, row, indices, half);
}

/// 32 keys of a head to a block. Warps align, rotate and finish them one by one; between that, the
/// encoder takes as many side by side as it has lanes for.
template <class Encoder, bool kBalanced>
AXELRAM_KERNEL void AXELRAM_BOUNDS(kFedThreads, 1)
    write_fed(MacroConstants c, FeedbackHeads all, ElementRows rows, const std::int8_t* signs,
              const std::uint16_t* center, WrittenRows out, Exponents<kBalanced> exponents) {
  constexpr int kDim = Encoder::kDim, kCount = kDim / 32;
  const auto heads = static_cast<std::uint32_t>(rows.heads);
  const std::size_t head = block_x() % heads, first = std::size_t{block_x() / heads} * kFedKeys;
  const std::size_t left = rows.tokens - first;
  const unsigned keys = left < kFedKeys ? static_cast<unsigned>(left) : kFedKeys;
  auto& memory = *shared_memory<FedMemory<kDim>>();
  std::uint8_t* const search =
      shared_memory<std::uint8_t>() + sizeof memory + warp_index() * search_bytes<Encoder>();

  for (unsigned k = warp_index(); k < keys; k += kFedWarps) {
    GeneralRow<kCount> key =
        align_row<kCount>(c, rows.data + (first + k) * rows.token_stride + head * rows.head_stride,
                          c.centered ? center + head * kDim : nullptr, nullptr,
                          RowPowers<kBalanced>::of_key(exponents, head * kDim));
    const std::uint64_t squares = square_sum(key.m);
    rotate(signs + head * kDim, key.m);
    AXELRAM_UNROLL
    for (int i = 0; i < kCount; ++i)
      memory.y[k][lane_index() + 32U * static_cast<unsigned>(i)] = key.m[i];
    if (lane_index() != 0) continue;
    memory.squares[k] = squares;
    memory.roots[k] = root(squares);
    memory.exponents[k] = key.e;
    memory.finite[k] = key.finite;
  }
  sync_block();

  const FedHead f = head_of(all, head, kDim);
  const bool fed = load(f.weights) != 0;
  if (fed)
    Encoder::encode(c, f, memory, keys, search);
  else
    encode_plainly<Encoder>(c, memory, keys, search);
  sync_block();

  for (unsigned k = warp_index(); k < keys; k += kFedWarps)
    finish_key<Encoder>(c, f, fed, memory, k, (first + k) * heads + head, out);
}

/// What a launch is given, and its name and shapes.
struct FedArguments {
  const MacroConstants& c;
  const FeedbackHeads& feedback;
  const ElementRows& keys;
  const KeyRotations& rotations;
  const std::uint16_t* center;
  const WrittenRows& out;
  const char* name;
  const std::string& shapes;
};

template <class Encoder, bool kBalanced>
void launch_fed(Stream& stream, const FedArguments& a) {
  const std::size_t blocks = (a.keys.tokens + kFedKeys - 1) / kFedKeys * a.keys.heads;
  const std::size_t bytes = sizeof(FedMemory<Encoder::kDim>) + kFedWarps * search_bytes<Encoder>();
  launch(stream, {a.name, a.shapes, blocks, 1, 1, kFedThreads, bytes},
         write_fed<Encoder, kBalanced>, a.c, a.feedback, a.keys, a.rotations.signs, a.center, a.out,
         Exponents<kBalanced>(a.rotations.balance));
}
template <class Encoder>
void launch_fed(Stream& stream, const FedArguments& a) {
  (a.c.balanced ? launch_fed<Encoder, true> : launch_fed<Encoder, false>)(stream, a);
}

/// One file for each, since each takes long to compile. Constants are checked.
void write_each_rank1(Stream& stream, const FedArguments& arguments);
void write_path_rank1(Stream& stream, const FedArguments& arguments);
void write_each_full(Stream& stream, const FedArguments& arguments);
void write_path_full(Stream& stream, const FedArguments& arguments);

}  // namespace axelram::kernels
