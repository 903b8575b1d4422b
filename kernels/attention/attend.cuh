#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "attention/attend_kernels.cuh"
#include "attention/attend_merge.cuh"
#include "attention/attend_operands.cuh"

namespace axelram::kernels {

/// Blocks of a multiprocessor: as many as shared memory or registers without spills allow.
template <int kDim, int kKeyBits, int kValueBits, class Coder>
constexpr int attend_blocks() {
  if (kDim == 64) return 4;
  if (kKeyBits == kTwoParts) return kHasTrellis<Coder> && kValueBits != 0 ? 2 : 3;
  if (std::is_same_v<Coder, UncodedTrellis>) return kValueBits == 4 ? 2 : 3;
  if (!kUncoded<Coder>) return kValueBits == 0 || (Coder::kTableBytes > 0) ? 3 : 4;
  return kKeyBits == 0 || (kKeyBits == 4 && kValueBits == 4) ? 3 : 4;
}

/// Dynamic shared memory: the coder's table, then of each warp the operands' staged bytes and the
/// scratch that they share; at the end the block's sums.
template <int kDim, int kKeyBits, int kValueBits, class Coder>
struct AttendShared {
  using Keys = TileOperand<kDim, kKeyBits, Coder, false>;
  using Values = TileOperand<kDim, kValueBits, Coder, true>;
  static constexpr int kScratchBytes =
      Keys::kScratchBytes > Values::kScratchBytes ? Keys::kScratchBytes : Values::kScratchBytes;

  static AXELRAM_HD int warp_bytes(const Pages& keys, const Pages& values) {
    return Keys::staged_bytes(keys) + Values::staged_bytes(values) + kScratchBytes;
  }
  static std::size_t bytes(const Pages& keys, const Pages& values) {
    const auto staged =
        static_cast<std::size_t>(Coder::kTableBytes + kAttendWarps * warp_bytes(keys, values));
    return staged > sizeof(BlockSums<kDim>) ? staged : sizeof(BlockSums<kDim>);
  }
};

/// Attention of one query token, up to 8 query heads of a KV head, and one split of its context:
/// block (query, heads and their blocks, split). Each of four warps takes every fourth tile of 32
/// tokens and keeps its own running sums; the only barriers are at the end. The loads of the next
/// tile begin as soon as this one has been multiplied.
///
/// Bytes of a token: d * b / 8 + 2 of a record, 2d of an FP16 row; memory is the limit, with the
/// integer pipe close behind if keys and values are records (at d = 128, b = 3 some 270
/// instructions a tile).
template <int kDim, int kKeyBits, int kValueBits, class Coder>
AXELRAM_KERNEL void AXELRAM_BOUNDS(32 * kAttendWarps,
                                   (attend_blocks<kDim, kKeyBits, kValueBits, Coder>()))
    attend_split(AttendArguments a) {
  using Shared = AttendShared<kDim, kKeyBits, kValueBits, Coder>;
  using Keys = typename Shared::Keys;
  using Values = typename Shared::Values;
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

  const PagedTokens paged = paged_tokens_of(a, query);
  const std::int32_t visible = paged.end;
  const auto split = static_cast<std::int32_t>(block_z());
  const std::int32_t tiles = tiles_of(visible);
  const std::int32_t split_begin = split * a.split_tiles;
  if (split > 0 && split_begin >= tiles) return;
  const std::int32_t split_end =
      tiles - split_begin < a.split_tiles ? tiles : split_begin + a.split_tiles;

  const std::int32_t sequence = a.sequence[query];
  unsigned char* const staged = shared_memory<unsigned char>() + Coder::kTableBytes +
                                warp * Shared::warp_bytes(a.keys, a.values);
  unsigned char* const staged_values = staged + Keys::staged_bytes(a.keys);
  auto* const scratch =
      reinterpret_cast<std::uint32_t*>(staged_values + Values::staged_bytes(a.values));
  Keys keys({staged, scratch});
  Values values({staged_values, scratch});
  StatusCounts counts;
  std::uint32_t decoded = 0;  // records, by this lane

  TileWalk walk(a, sequence, split_begin + warp, split_end);
  TileAt at{sequence, kv_head, 0, visible};
  const auto begin_keys = [&] {
    if (walk.more()) keys.begin(a.keys, walk, at);
    if constexpr (Keys::kGroups != 0) commit_async();
  };
  const auto begin_values = [&] {
    if (walk.more()) values.begin(a.values, walk, at);
    if constexpr (Values::kGroups != 0) commit_async();
  };
  begin_keys();
  begin_values();
  Coder coder{};
  if constexpr (Coder::kTableBytes > 0) {
    coder = coder_of_block<Coder>(a.code, shared_memory<std::uint32_t>());
    sync_block();
  }

  typename ScoresOf<kDim, kKeyBits, Coder>::Type scorer;
  if constexpr (kKeyBits == 0) {
    scorer.load_query(a.fp16 + (first_row + g) * kDim, g < heads_here);
    scorer.factor = a.score_factor;
  } else {
    if constexpr (kKeyBits == kTwoParts)
      scorer.load_query(a.u8, a.v8, (first_row + g) * kDim, g < heads_here);
    else
      load_query_bytes<kDim>(scorer.query, a.u8 + (first_row + g) * kDim, g < heads_here);
    AXELRAM_UNROLL
    for (int i = 0; i < 2; ++i) {
      const bool present = 2 * t + i < heads_here;
      const std::int32_t e_u = present ? load(a.exponents + first_row + 2 * t + i) : 0;
      scorer.factors[i] = present ? clamped_power_of_two(e_u) * a.score_factor : 0;
      if constexpr (kKeyBits == kTwoParts)
        scorer.scales[i] =
            !present || a.residual_exponents == nullptr
                ? 1
                : residual_factor(a.residual_scale, a.log2_dim, e_u,
                                  load(a.residual_exponents + first_row + 2 * t + i));
    }
  }

  TileSoftmax softmax;
  TileSums<kDim> sums;
  while (walk.more()) {
    at.first = walk.tile * kTileTokens;
    walk.advance();

    keys.template arrive<Values::kGroups>(a, a.keys, coder, at, &counts);
    if constexpr (Keys::kEarly) begin_keys();
    TileScores scores;
    if constexpr (kKeyBits == 0)
      scorer.multiply(keys.tile, scores);
    else if constexpr (kKeyBits == kTwoParts)
      scorer.multiply(keys.tile, a.key_centroids, a.second_centroids, scores);
    else
      scorer.multiply(keys.tile, a.key_centroids, scores);
    if constexpr (!Keys::kEarly) begin_keys();

    if (at.first < paged.begin || visible - at.first < kTileTokens) {
      AXELRAM_UNROLL
      for (int i = 0; i < 4; ++i) {
        const std::int32_t token = at.first + 8 * i + g;
        if (token < paged.begin || token >= visible) scores[i][0] = scores[i][1] = -HUGE_VALF;
      }
    }
    if constexpr (Values::kEarly) {
      values.template arrive<Keys::kGroups>(a, a.values, coder, at, &counts);
      begin_values();
    }
    if constexpr (Keys::kEarly || Values::kEarly) decoded += at.first + lane < visible ? 1 : 0;
    float norms[4] = {1, 1, 1, 1};
    // Above zero, so that no probability, however large, makes it a NaN.
    if constexpr (kValueBits != 0) values.tile.norms(0x1p-100F, norms);
    Half2 weights[4];
    softmax.weigh(scores, norms, weights, [&](const float(&factors)[2]) { sums.rescale(factors); });
    AXELRAM_UNROLL
    for (int i = 0; i < 4; ++i) weights[i] = transpose_matrix(weights[i]);

    if constexpr (!Values::kEarly)
      values.template arrive<Keys::kGroups>(a, a.values, coder, at, &counts);
    if constexpr (kValueBits == 0)
      sums.add(values.tile, weights);
    else
      sums.add(values.tile, a.value_centroids, a.half_bytes, weights);
    if constexpr (!Values::kEarly) begin_values();
  }
  if constexpr (Keys::kEarly || Values::kEarly) {
    constexpr std::uint32_t kWords = coded_words<Keys>() + coded_words<Values>();
    if (a.counts != nullptr && first_head == 0) add_counts(counts, decoded * kWords, a.counts);
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
      block.sums[warp][2 * t + h][Values::dimension(j, 0, g)] = sums.c[j][h];
      block.sums[warp][2 * t + h][Values::dimension(j, 1, g)] = sums.c[j][2 + h];
    }
  }
  sync_block();

  for (std::int32_t head = warp; head < heads_here; head += kAttendWarps) {
    SoftmaxReference reference;
    float sum, x[kDim / 32];
    merge_warps(block, static_cast<unsigned>(head), &reference, &sum, x);
    const std::int64_t row = first_row + head;
    if (a.splits == 1) {
      finish_head<kDim>(a, row, kv_head, reference, sum, x);
      continue;
    }
    const std::int64_t part = row * a.splits + split;
    float* const to = a.split_sums + part * kDim + kDim / 32 * lane;
    AXELRAM_UNROLL
    for (int i = 0; i < kDim / 32; ++i) to[i] = x[i];
    if (lane == 0) a.split_statistics[part] = {reference, sum, 0};
  }
}

template <int kDim, int kKeyBits, int kValueBits, class Coder = Uncoded>
AttendKernel attend_kernel() {
  return {attend_split<kDim, kKeyBits, kValueBits, Coder>,
          AttendShared<kDim, kKeyBits, kValueBits, Coder>::bytes,
          attend_blocks<kDim, kKeyBits, kValueBits, Coder>()};
}

/// visit(d) with the constant that is head_dim.
template <class Visit>
AttendKernel visit_head_dim(int head_dim, const Visit& visit) {
  switch (head_dim) {
    case 64:
      return visit(std::integral_constant<int, 64>());
    case 128:
      return visit(std::integral_constant<int, 128>());
  }
  throw DeviceError("attend: no kernel for heads of " + std::to_string(head_dim) + " elements");
}
/// visit(d, b) with the constants that are head_dim and bits.
template <class Visit>
AttendKernel visit_shape(int head_dim, int bits, const Visit& visit) {
  return visit_head_dim(head_dim, [&](auto d) -> AttendKernel {
    switch (bits) {
      case 2:
        return visit(d, std::integral_constant<int, 2>());
      case 3:
        return visit(d, std::integral_constant<int, 3>());
      case 4:
        return visit(d, std::integral_constant<int, 4>());
    }
    throw DeviceError("attend: no kernel for indices of " + std::to_string(bits) + " bits");
  });
}

template <PartKind kKind>
AttendKernel attend_two_parts(int head_dim, int value_bits) {
  using Coder = UncodedParts<kKind>;
  if (value_bits == 0)
    return visit_head_dim(head_dim, [](auto d) { return attend_kernel<d, kTwoParts, 0, Coder>(); });
  return visit_shape(head_dim, value_bits,
                     [](auto d, auto b) { return attend_kernel<d, kTwoParts, b, Coder>(); });
}

template <class Coder>
AttendKernel attend_coded(int head_dim, int bits, bool fp16_values) {
  return visit_shape(head_dim, bits, [&](auto d, auto b) {
    return fp16_values ? attend_kernel<d, b, 0, Coder>() : attend_kernel<d, b, b, Coder>();
  });
}

}  // namespace axelram::kernels
