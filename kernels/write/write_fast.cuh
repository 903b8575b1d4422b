#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "axelram/kernels/write.hpp"
#include "common/row_checks.hpp"
#include "device/launch.cuh"
#include "units/balance.cuh"
#include "write/align_key.cuh"
#include "write/write_row.cuh"

/// The kernel of keys whose records a warp makes in FP16 and FP32: which keys it takes, write.hpp
/// says.
namespace axelram::kernels {

constexpr unsigned kFastWarps = 4, kFastThreads = 32 * kFastWarps;

/// A thread's key, from one step of the grid to the next: the head stays, the token moves on.
struct FastStep {
  std::uint32_t
      rows;  ///< a multiple of the heads; as many beyond the rows as there are stages fit 32 bits
  std::size_t elements;  ///< from a token's row to that of the next step
};

/// Blocks of a multiprocessor: as many as registers without spills allow.
template <int kDim, int kBits, bool kCentered, bool kUnbiased, bool kBalanced>
constexpr int write_blocks() {
  if (kDim == 64 && kUnbiased) {  // sm_80 or sm_89 would spill
    if (kBits == 4 && (kCentered || kBalanced)) return 3;
    if (kBits == 2 && kCentered && kBalanced) return 3;
  }
  if (kCentered) return 4;
  return kBits < 4 ? (kUnbiased ? 5 : 6) : (kUnbiased ? 4 : 5);
}

/// Shared memory of a warp: stages, factors, then records and levels, each of all warps together.
template <int kDim, int kBits>
struct FastMemory {
  using Layout = WriteLayout<kDim>;
  static constexpr unsigned kStages = 3;
  static constexpr unsigned kRecordBytes = (kDim * kBits + 16) / 8;
  static constexpr unsigned kRecords = Layout::kKeys * kRecordBytes;
  static constexpr unsigned kStage = Layout::kStagedBytes;
  static constexpr unsigned kStaged = kStages * kStage;
  static constexpr unsigned kRecordsKept = (kRecords + 15) / 16 * 16, kKept = kRecordsKept + 32;
  static constexpr unsigned kBytes = kStaged + Layout::kStagedBytes + kKept;
};

/// Copies the first `bytes` bytes of a warp's records to device memory.
template <class Piece, unsigned kBytes>
AXELRAM_DEVICE void store_records(std::uint8_t* to, const std::uint8_t* from, unsigned bytes) {
  static_assert(kBytes % sizeof(Piece) == 0);
  constexpr unsigned kPieces = kBytes / sizeof(Piece);
  if (bytes >= kBytes) {
    AXELRAM_UNROLL
    for (unsigned i = 0; i < kPieces; i += 32)
      if (i + lane_index() < kPieces)
        reinterpret_cast<Piece*>(to)[i + lane_index()] =
            reinterpret_cast<const Piece*>(from)[i + lane_index()];
  } else {
    AXELRAM_ROLLED
    for (unsigned i = 0; i < kBytes; i += 32)
      if (i + lane_index() < bytes) to[i + lane_index()] = from[i + lane_index()];
  }
}
template <unsigned kBytes>
using PieceOf = std::conditional_t<kBytes % 16 == 0, Words4,
                                   std::conditional_t<kBytes % 8 == 0, Words2, std::uint32_t>>;

/// Bytes to and from memory per key: 2d in, (d b + 16) / 8 out, 306 at d = 128 and b = 3. Beside
/// them its limit is the issue of instructions: at d = 128, b = 3 and FP16 a warp takes 8 keys with
/// 656 of them (sm_90), 82 per key, of which 28 find and pack indices, 16 round the keys and sum
/// their squares, 14 transform them. Keys come through shared memory in kStages asynchronous
/// stages, 16 bytes per copy; records leave a warp together, in the largest pieces that they are
/// made of.
template <int kDim, int kBits, bool kCentered, bool kUnbiased, bool kBalanced>
AXELRAM_KERNEL void AXELRAM_BOUNDS(kFastThreads,
                                   (write_blocks<kDim, kBits, kCentered, kUnbiased, kBalanced>()))
    write_fast(MacroConstants c, ElementRows keys, const std::int8_t* signs,
               const std::uint16_t* center, WrittenRows out, FastStep step,
               Exponents<kBalanced> exponents) {
  using Layout = WriteLayout<kDim>;
  using Memory = FastMemory<kDim, kBits>;
  constexpr unsigned kLanes = Layout::kLanes, kKeys = Layout::kKeys, kStages = Memory::kStages;

  std::uint8_t* const staged = shared_memory<std::uint8_t>();
  std::uint8_t* const records =
      staged + kFastWarps * (Memory::kStaged + Layout::kStagedBytes) + warp_index() * Memory::kKept;
  std::uint8_t* const levels = records + Memory::kRecordsKept;
  constexpr unsigned kLevels = 1U << (kBits - 1);  ///< above 0
  const unsigned lane = lane_index() % kLanes, key_of_warp = lane_index() / kLanes;

  const auto rows = static_cast<std::uint32_t>(keys.rows());
  const auto heads = static_cast<std::uint32_t>(keys.heads);
  std::uint32_t base = (block_x() * kFastWarps + warp_index()) * kKeys;
  const std::uint32_t first = base + key_of_warp;
  const std::size_t head = first % heads;
  const std::uint16_t* source =
      keys.data + first / heads * keys.token_stride + head * keys.head_stride + 8 * lane;
  const unsigned first_stage = warp_index() * Memory::kStaged;
  const unsigned my_copies = first_stage + Layout::key_chunk_at(key_of_warp, lane);
  const unsigned my_chunks = first_stage + Layout::chunk_at(lane_index(), 0);
  const HadamardProduct<kDim> hadamard;
  const auto fetch = [&](std::uint32_t row, unsigned stage) {
    if (row < rows) {
      AXELRAM_UNROLL
      for (unsigned i = 0; i < 4; ++i)
        copy_async16(staged + ((my_copies + stage) ^ Layout::key_chunk_at(0, i * kLanes)),
                     source + 8 * i * kLanes);
    }
    commit_async();
    source += step.elements;
  };
  AXELRAM_UNROLL
  for (unsigned i = 0; i + 1 < kStages; ++i) fetch(first + i * step.rows, i * Memory::kStage);

  const auto* const my_center =
      kCentered ? reinterpret_cast<const Words4*>(center + head * kDim + kElements * lane)
                : nullptr;
  const LaneFactors<kDim, kBalanced> factors(c, signs, exponents, head * kDim + kElements * lane,
                                             my_center);
  // Factors of a lane lie in shared memory: registers are worth a block of a multiprocessor.
  const unsigned my_factors = kFastWarps * Memory::kStaged + warp_index() * Layout::kStagedBytes +
                              Layout::chunk_at(lane_index(), 0);
  AXELRAM_UNROLL
  for (unsigned i = 0; i < 4; ++i) {
    Words4 words;
    AXELRAM_UNROLL
    for (unsigned k = 0; k < 4; ++k) {
      words.w[k] = factors.word(4 * i + k);
    }
    *reinterpret_cast<Words4*>(staged + (my_factors ^ Layout::chunk_at(0, i))) = words;
  }
  if (kUnbiased && lane_index() < kLevels)
    reinterpret_cast<std::int32_t*>(levels)[lane_index()] = c.centroids[kLevels + lane_index()];
  const KeyThresholds<kBits, kLanes> thresholds(c, lane);
  const bool parts = out.norms != nullptr || out.indices != nullptr || out.thresholds != nullptr ||
                     (kUnbiased && out.correlations != nullptr);

  unsigned free_stage = (kStages - 1) * Memory::kStage;
  for (; base < rows; base += step.rows) {
    wait_async<kStages - 2>();
    sync_warp();
    const unsigned stage =
        free_stage == (kStages - 1) * Memory::kStage ? 0 : free_stage + Memory::kStage;
    std::uint32_t words[kWords], lane_factors[kWords];
    load_chunks<Layout>(staged, my_chunks + stage, words);
    load_chunks<Layout>(staged, my_factors, lane_factors);
    fetch(base + key_of_warp + (kStages - 1) * step.rows, free_stage);
    free_stage = stage;

    float products[2][4][4], x[kElements];
    const AlignedKey key =
        c.bf16 ? align_key<true, kCentered>(factors, lane_factors, my_center, c.significand_bits,
                                            hadamard, words, products)
               : align_key<false, kCentered>(factors, lane_factors, my_center, c.significand_bits,
                                             hadamard, words, products);
    hadamard.add(products, x);

    // N <= 2^(23 - n/2) < 2^22: one step.
    const std::uint32_t n = root<1>(key.square_sum);
    float a[KeyThresholds<kBits, kLanes>::kCount];
    thresholds.compute(n, a);
    std::uint32_t pieces[2][kBits];
    std::uint64_t level_sum = 0;  // of |y| times its level, if kUnbiased
    AXELRAM_UNROLL
    for (int h = 0; h < 2; ++h) {
      float centered[16];
      AXELRAM_UNROLL
      for (int i = 0; i < 16; ++i) {
        const float z = x[16 * h + i];
        centered[i] = centered_index<kBits>(z, a);
        if constexpr (kUnbiased) {
          const auto* const level =
              reinterpret_cast<const std::int32_t*>(levels + word_of_index(centered[i]));
          level_sum += correlation_term(z, *level, kUnit);
        }
      }
      pack_indices<kBits>(centered, pieces[h]);
    }
    bool saturated = false;
    std::int64_t correlation = 0;
    std::uint16_t half = 0;
    if constexpr (kUnbiased) {
      correlation = static_cast<std::int64_t>(sum_over_lanes<kLanes>(level_sum));
      half = unbiased_norm(key.square_sum, correlation, c.log2_dim + c.centroid_bits - 2 + key.e,
                           &saturated);
    } else {
      half = norm(n, key.e, &saturated);
    }

    if (out.records != nullptr) {
      auto* const record =
          reinterpret_cast<std::uint16_t*>(records + key_of_warp * Memory::kRecordBytes);
      AXELRAM_UNROLL
      for (unsigned i = 0; i < 2 * kBits; ++i)
        record[lane * 2 * kBits + i] = static_cast<std::uint16_t>(pieces[i / kBits][i % kBits]);
      if (lane == 0) record[kDim / 16 * kBits] = half;
      sync_warp();
      store_records<PieceOf<Memory::kRecords>, Memory::kRecords>(
          out.records + static_cast<std::size_t>(base) * Memory::kRecordBytes, records,
          rows - base >= kKeys ? Memory::kRecords : (rows - base) * Memory::kRecordBytes);
    }
    const std::uint32_t row = base + key_of_warp;
    if (any_lane(saturated || !key.finite) && lane == 0 && row < rows && out.events != nullptr)
      count_events(out.events, row, key.finite, saturated);
    if (parts && row < rows) {
      store_parts<kDim, kBits>(c, out, row, lane, {half, n, pieces});
      if (kUnbiased && out.correlations != nullptr && lane == 0)
        out.correlations[row] = correlation;
    }
  }
  wait_async<0>();
}

template <int kDim, int kBits, bool kBalanced>
auto choose_fast(const MacroConstants& c) {
  if (c.unbiased)
    return c.centered ? write_fast<kDim, kBits, true, true, kBalanced>
                      : write_fast<kDim, kBits, false, true, kBalanced>;
  return c.centered ? write_fast<kDim, kBits, true, false, kBalanced>
                    : write_fast<kDim, kBits, false, false, kBalanced>;
}

template <int kDim, int kBits, bool kBalanced>
void launch_fast(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                 const KeyRotations& rotations, const std::uint16_t* center,
                 const WrittenRows& out) {
  constexpr std::size_t kBlockKeys = kFastWarps * WriteLayout<kDim>::kKeys;
  // Steps of a warp: enough to keep its stages full, few enough that the last blocks of a device
  // end together. A step is a multiple of the heads, so that a thread's head never changes.
  constexpr std::size_t kSteps = 16, kFewBlocks = 2048;
  const std::size_t all = (keys.rows() + kBlockKeys - 1) / kBlockKeys;
  std::size_t blocks = std::min(all, std::max(all / kSteps, kFewBlocks));
  const std::size_t multiple = keys.heads / std::gcd(keys.heads, kBlockKeys);
  blocks = (blocks + multiple - 1) / multiple * multiple;
  const std::size_t rows = blocks * kBlockKeys;
  if (keys.rows() + FastMemory<kDim, kBits>::kStages * rows >= kNoRow)
    return write_keys_general(stream, c, keys, rotations, center, out);
  const FastStep step{static_cast<std::uint32_t>(rows), rows / keys.heads * keys.token_stride};
  launch(stream,
         {"write_keys", shape_text("keys", keys, kDim), blocks, 1, 1, kFastThreads,
          kFastWarps * FastMemory<kDim, kBits>::kBytes},
         choose_fast<kDim, kBits, kBalanced>(c), c, keys, rotations.signs, center, out, step,
         Exponents<kBalanced>(rotations.balance));
}

template <int kDim, bool kBalanced>
void launch_fast(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                 const KeyRotations& rotations, const std::uint16_t* center,
                 const WrittenRows& out) {
  const auto run = c.index_bits == 2   ? launch_fast<kDim, 2, kBalanced>
                   : c.index_bits == 3 ? launch_fast<kDim, 3, kBalanced>
                                       : launch_fast<kDim, 4, kBalanced>;
  run(stream, c, keys, rotations, center, out);
}

/// Launches the kernel of the constants' d and bits for checked keys, at least one of them, that it
/// takes.
template <bool kBalanced>
void launch_fast(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                 const KeyRotations& rotations, const std::uint16_t* center,
                 const WrittenRows& out) {
  const auto run = c.head_dim == 64    ? launch_fast<64, kBalanced>
                   : c.head_dim == 128 ? launch_fast<128, kBalanced>
                                       : launch_fast<256, kBalanced>;
  run(stream, c, keys, rotations, center, out);
}

/// A source of its own, since it takes long to compile.
void write_fast_balanced(Stream& stream, const MacroConstants& c, const ElementRows& keys,
                         const KeyRotations& rotations, const std::uint16_t* center,
                         const WrittenRows& out);

}  // namespace axelram::kernels
