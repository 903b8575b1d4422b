#include "axelram/kernels/scores.hpp"
#include "common/row_checks.hpp"
#include "score/score_tile.cuh"
#include "score/tile_launch.hpp"

namespace axelram::kernels {
namespace {

/// A warp scores up to warp_tiles consecutive tiles of one head against its group; kDepth - 1 of
/// them are on their way while it multiplies one. A key at d = 128, b = 3 is 50 bytes read and 4 *
/// group written, and about 84 integer instructions of one thread to expand it, 0.5 of a tensor
/// core's m16n8k32 a warp: memory limits it.
template <int kLog2Dim, int kBits, bool kTrellis, int kDepth, int kBlocks>
AXELRAM_KERNEL AXELRAM_BOUNDS(32 * kTileWarps,
                              kBlocks) void score_tiles_kernel(ScoreTilesArguments s) {
  constexpr int kDim = 1 << kLog2Dim;
  const auto sequence = static_cast<std::int32_t>(block_z());
  const auto head = static_cast<std::int32_t>(block_y());
  const auto lane = static_cast<std::int32_t>(lane_index());
  const std::int32_t length = load(s.lengths + sequence);
  const std::int32_t tiles = (length + kTileTokens - 1) / kTileTokens;
  const WarpTiles warp(s.keys, s.table, sequence, head, tiles,
                       block_x() * kTileWarps + warp_index(), s.warp_tiles);
  if (warp.count == 0) return;

  LaneTile<tile_lane_words(kDim, kBits)> stages[kDepth];
  AXELRAM_UNROLL
  for (int stage = 0; stage < kDepth; ++stage)
    if (stage < warp.count) load_tile<kLog2Dim, kBits>(stages[stage], warp[stage]);

  const auto row = (static_cast<std::size_t>(sequence) * static_cast<std::size_t>(s.keys.heads) +
                    static_cast<std::size_t>(head)) *
                   static_cast<std::size_t>(s.group);
  LaneQueries<kDim> queries;
  queries.fetch(s, row);
  LaneRows rows;
  const std::int32_t lane_token = warp.first * kTileTokens + lane % 4 * 2;
  AXELRAM_UNROLL
  for (int r = 0; r < 2; ++r) {
    const std::int32_t e_u = queries.exponents[r];
    rows.at[r] = (row + static_cast<std::size_t>(lane / 4 + 8 * r)) * s.stride +
                 static_cast<std::size_t>(lane_token);
    rows.present[r] = queries.present[r];
    rows.exponents[r] = e_u;
    rows.powers[r] =
        plain_exponent(e_u) ? float_of_bits(static_cast<std::uint32_t>(e_u + 127) << 23) : 0.0F;
  }
  const bool plain = s.accumulators == nullptr && !any_lane(!plain_exponent(rows.exponents[0]) ||
                                                            !plain_exponent(rows.exponents[1]));
  const auto end =
      static_cast<std::size_t>(length) < s.stride ? length : static_cast<std::int32_t>(s.stride);
  std::int32_t left = end - warp.first * kTileTokens;

  int stage = 0;
  for (std::int32_t i = 0; i < warp.count; ++i) {
    std::int32_t sums[4][4];
    std::uint32_t norms = 0;
    sync_warp();  // lanes of rows that do not exist come here first
    AXELRAM_UNROLL
    for (int k = 0; k < kDepth; ++k) {
      if (stage != k) continue;
      multiply_payload<kLog2Dim, kBits, kTrellis>(sums, stages[k].payload, queries.a, s.centroids);
      norms = stages[k].norms;
      if (i + kDepth < warp.count) load_tile<kLog2Dim, kBits>(stages[k], warp[i + kDepth]);
    }
    stage = stage + 1 == kDepth ? 0 : stage + 1;
    if (plain && left >= kTileTokens)
      write_plain(s.scores, sums, norms, rows);
    else
      write_any(s, sums, norms, rows, left - lane % 4 * 2);
    left -= kTileTokens;
    rows.at[0] += kTileTokens;
    rows.at[1] += kTileTokens;
  }
}

template <int kLog2Dim, int kBits, bool kTrellis>
void launch_tiles(Stream& stream, const Launch& shape, const ScoreTilesArguments& s) {
  // Registers hold the queries, 2^kLog2Dim / 8 words, and kDepth payloads.
  constexpr int kBlocks = kLog2Dim == 8 ? 2 : 4;
  constexpr int kDepth = tile_lane_words(1 << kLog2Dim, kBits) > 12 ? 2 : 3;
  launch(stream, shape, score_tiles_kernel<kLog2Dim, kBits, kTrellis, kDepth, kBlocks>, s);
}
template <int kLog2Dim, bool kTrellis>
void launch_tiles(Stream& stream, const Launch& shape, const ScoreTilesArguments& s) {
  if (s.keys.index_bits == 2) launch_tiles<kLog2Dim, 2, kTrellis>(stream, shape, s);
  if (s.keys.index_bits == 3) launch_tiles<kLog2Dim, 3, kTrellis>(stream, shape, s);
  if (s.keys.index_bits == 4) launch_tiles<kLog2Dim, 4, kTrellis>(stream, shape, s);
}
template <bool kTrellis>
void launch_tiles(Stream& stream, const Launch& shape, const ScoreTilesArguments& s) {
  if (s.keys.head_dim == 32) launch_tiles<5, kTrellis>(stream, shape, s);
  if (s.keys.head_dim == 64) launch_tiles<6, kTrellis>(stream, shape, s);
  if (s.keys.head_dim == 128) launch_tiles<7, kTrellis>(stream, shape, s);
  if (s.keys.head_dim == 256) launch_tiles<8, kTrellis>(stream, shape, s);
}

}  // namespace

void score_tiles(Stream& stream, const MacroConstants& constants, const Pages& keys,
                 const BlockTable& table, const std::int32_t* lengths, std::int32_t group,
                 const std::int8_t* u, const std::int32_t* exponents, std::size_t score_stride,
                 float* scores, std::int32_t* accumulators) {
  require_one_part("score_tiles", constants);
  const TileLaunch tiles = tile_launch("score_tiles", constants, keys, table, group, score_stride);
  const ScoreTilesArguments s{keys,
                              table,
                              lengths,
                              group,
                              u,
                              exponents,
                              score_stride,
                              scores,
                              accumulators,
                              centroid_bytes(constants, constants.states),
                              tiles.warp_tiles};
  if (constants.states != 0)
    launch_tiles<true>(stream, tiles.shape, s);
  else
    launch_tiles<false>(stream, tiles.shape, s);
}

}  // namespace axelram::kernels
