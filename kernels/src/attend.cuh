#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "attend_arguments.cuh"
#include "attend_merge.cuh"
#include "fragments.cuh"

namespace axelram::kernels {

/// A warp's tiles of keys or values, kBits = 0: FP16 rows, by way of shared memory.
template <int kDim, int kBits>
struct TileOperand {
  TileWords<kDim, kBits> tile;

  static constexpr int kShared = 0, kGroups = 0;
  AXELRAM_DEVICE void begin(const Pages& pages, const TileWalk& walk, std::int32_t head,
                            std::int32_t) {
    tile.load_tile(head_of_page(pages, walk.page, head) +
                   static_cast<std::size_t>(walk.place) * tile_bytes(kDim, kBits));
  }
};
template <int kDim>
struct TileOperand<kDim, 0> {
  StagedTile<kDim> tile;

  static constexpr int kShared = StagedTile<kDim>::kBytes, kGroups = 1;
  AXELRAM_DEVICE void begin(const Pages& pages, const TileWalk& walk, std::int32_t head,
                            std::int32_t visible) {
    tile.stage(head_of_page(pages, walk.page, head) +
                   static_cast<std::int64_t>(walk.place) * (kTileTokens * pages.row_stride),
               pages.row_stride, visible - walk.tile * kTileTokens);
  }
};

/// Blocks of a multiprocessor: as many as shared memory or registers without spills allow.
template <int kDim, int kKeyBits, int kValueBits>
constexpr int attend_blocks() {
  const bool many_registers = kKeyBits == 0 || (kKeyBits == 4 && kValueBits == 4);
  return kDim == 128 && many_registers ? 3 : 4;
}

template <int kDim, int kKeyBits, int kValueBits>
constexpr std::size_t attend_shared_bytes() {
  constexpr std::size_t staged = kAttendWarps * (TileOperand<kDim, kKeyBits>::kShared +
                                                 TileOperand<kDim, kValueBits>::kShared);
  return staged > sizeof(BlockSums<kDim>) ? staged : sizeof(BlockSums<kDim>);
}

/// Attention of one query token, up to 8 query heads of a KV head, and one split of its context:
/// block (query, heads and their blocks, split). Each of four warps takes every fourth tile of 32
/// tokens and keeps running sums of its own; no barrier but at the end. The next tile's loads
/// are begun as soon as the tile before has been multiplied.
///
/// Bytes of a token: d * b / 8 + 2 of a record, 2d of an FP16 row; memory is the limit, with the
/// integer pipe close behind where keys and values are records (at d = 128, b = 3 some 270
/// instructions a tile).
template <int kDim, int kKeyBits, int kValueBits>
AXELRAM_KERNEL void AXELRAM_BOUNDS(32 * kAttendWarps, (attend_blocks<kDim, kKeyBits, kValueBits>()))
    attend_split(AttendArguments a) {
  using Keys = TileOperand<kDim, kKeyBits>;
  using Values = TileOperand<kDim, kValueBits>;
  const auto lane = static_cast<std::int32_t>(lane_index());
  const auto warp = static_cast<std::int32_t>(warp_index());
  const std::int32_t g = lane / 4, t = lane % 4;
  const auto query = static_cast<std::int64_t>(block_x());
  const auto kv_head = static_cast<std::int32_t>(block_y()) / a.head_blocks;
  const std::int32_t first_head =
      static_cast<std::int32_t>(block_y()) % a.head_blocks * kBlockHeads;
  const std::int32_t heads_here =
      a.group - first_head < kBlockHeads ? a.group - first_head : kBlockHeads;
  const std::int64_t first_row = (query * a.heads + kv_head) * a.group + first_head;

  const std::int32_t visible = a.visible[query];
  const auto split = static_cast<std::int32_t>(block_z());
  const std::int32_t tiles = (visible + kTileTokens - 1) / kTileTokens;
  const std::int32_t split_begin = split * a.split_tiles;
  if (split > 0 && split_begin >= tiles) return;
  const std::int32_t split_end =
      tiles - split_begin < a.split_tiles ? tiles : split_begin + a.split_tiles;

  auto* const shared = shared_memory<unsigned char>();
  Keys keys;
  Values values;
  if constexpr (kKeyBits == 0) keys.tile.shared = shared + warp * Keys::kShared;
  if constexpr (kValueBits == 0)
    values.tile.shared = shared + kAttendWarps * Keys::kShared + warp * Values::kShared;

  TileWalk walk(a, a.sequence[query], split_begin + warp, split_end);
  if (walk.more()) keys.begin(a.keys, walk, kv_head, visible);
  if constexpr (Keys::kGroups != 0) commit_async();
  if (walk.more()) values.begin(a.values, walk, kv_head, visible);
  if constexpr (Values::kGroups != 0) commit_async();

  using Scores = std::conditional_t<kKeyBits == 0, RowScores<kDim>,
                                    RecordScores<kDim, kKeyBits == 0 ? 2 : kKeyBits>>;
  Scores scorer;
  if constexpr (kKeyBits == 0) {
    scorer.load_query(a.fp16 + (first_row + g) * kDim, g < heads_here);
    scorer.factor = a.score_factor;
  } else {
    scorer.load_query(a.u8 + (first_row + g) * kDim, g < heads_here);
    AXELRAM_UNROLL
    for (int i = 0; i < 2; ++i)
      scorer.factors[i] =
          2 * t + i < heads_here
              ? power_of_two(load(a.exponents + first_row + 2 * t + i)) * a.score_factor
              : 0;
  }

  TileSoftmax softmax;
  TileSums<kDim> sums;
  while (walk.more()) {
    const std::int32_t left = visible - walk.tile * kTileTokens;
    walk.advance();

    TileScores scores;
    if constexpr (kKeyBits == 0) {
      wait_async<Values::kGroups>();
      sync_warp();
      scorer.multiply(keys.tile, scores);
      sync_warp();
    } else {
      scorer.multiply(keys.tile, a.key_centroids, scores);
    }
    if (walk.more()) keys.begin(a.keys, walk, kv_head, visible);
    if constexpr (Keys::kGroups != 0) commit_async();

    if (left < kTileTokens) {
      AXELRAM_UNROLL
      for (int i = 0; i < 4; ++i)
        if (8 * i + g >= left) scores[i][0] = scores[i][1] = -HUGE_VALF;
    }
    float norms[4] = {1, 1, 1, 1};
    // Above zero, so that no probability, however large, makes it a NaN.
    if constexpr (kValueBits != 0) values.tile.norms(0x1p-100F, norms);
    Half2 weights[4];
    softmax.weigh(scores, norms, weights, [&](const float(&factors)[2]) { sums.rescale(factors); });
    AXELRAM_UNROLL
    for (int i = 0; i < 4; ++i) weights[i] = transpose_matrix(weights[i]);

    if constexpr (kValueBits == 0) {
      wait_async<Keys::kGroups>();
      sync_warp();
      sums.add(values.tile, weights);
      sync_warp();
    } else {
      sums.add(values.tile, a.value_centroids, a.half_bytes, weights);
    }
    if (walk.more()) values.begin(a.values, walk, kv_head, visible);
    if constexpr (Values::kGroups != 0) commit_async();
  }
  wait_async<0>();
  sync_block();

  auto& block = *shared_memory<BlockSums<kDim>>();
  AXELRAM_UNROLL
  for (int h = 0; h < 2; ++h) {
    float sum = softmax.sum[h];
    AXELRAM_UNROLL
    for (unsigned mask = 4; mask < 32; mask *= 2) sum += shuffle_xor(sum, mask);
    // Finite, so that a factor of zero clears it.
    if (g == 0)
      block.statistics[warp][2 * t + h] = {softmax.reference[h], std::fmin(sum, 1e38F), 0};
    AXELRAM_UNROLL
    for (int j = 0; j < kDim / 16; ++j) {
      block.sums[warp][2 * t + h][16 * j + g] = sums.c[j][h];
      block.sums[warp][2 * t + h][16 * j + 8 + g] = sums.c[j][2 + h];
    }
  }
  sync_block();

  for (std::int32_t head = warp; head < heads_here; head += kAttendWarps) {
    SoftmaxReference reference;
    float sum, x[kDim / 32];
    merge_warps(block, static_cast<unsigned>(head), &reference, &sum, x);
    const std::int64_t row = first_row + head;
    if (a.splits == 1) {
      finish_head<kDim>(a, row, kv_head, sum, x);
      continue;
    }
    const std::int64_t part = row * a.splits + split;
    float* const to = a.split_sums + part * kDim + kDim / 32 * lane;
    AXELRAM_UNROLL
    for (int i = 0; i < kDim / 32; ++i) to[i] = x[i];
    if (lane == 0) a.split_statistics[part] = {reference, sum, 0};
  }
}

/// A kernel of attend_split and what its launch needs.
struct AttendKernel {
  void (*kernel)(AttendArguments) = nullptr;
  std::size_t shared_bytes = 0;
  int blocks = 0;  ///< of a multiprocessor
};
template <int kDim, int kKeyBits, int kValueBits>
AttendKernel attend_kernel() {
  return {attend_split<kDim, kKeyBits, kValueBits>,
          attend_shared_bytes<kDim, kKeyBits, kValueBits>(),
          attend_blocks<kDim, kKeyBits, kValueBits>()};
}

// One source each, so that they are compiled side by side. head_dim: 64 or 128; bits: 0 for FP16.
AttendKernel attend_records(int head_dim, int bits);          ///< both records
AttendKernel attend_record_keys(int head_dim, int bits);      ///< FP16 values
AttendKernel attend_fp16_keys(int head_dim, int value_bits);  ///< FP16 keys

}  // namespace axelram::kernels
