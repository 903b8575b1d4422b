#include <algorithm>
#include <string>

#include "axelram/kernels/scores.hpp"
#include "common/check_pages.hpp"
#include "device/launch.cuh"
#include "score/score_tile.cuh"

namespace axelram::kernels {
namespace {

constexpr int kWarps = 4;
constexpr int kMaxGroup = 16;

/// A warp scores up to warp_tiles consecutive tiles of one head against its group; kDepth - 1 of
/// them are on their way while it multiplies one. A key at d = 128, b = 3 is 50 bytes read and 4 *
/// group written, and about 84 integer instructions of one thread to expand it, 0.5 of a tensor
/// core's m16n8k32 a warp: memory limits it.
template <int kLog2Dim, int kBits, bool kTrellis, int kDepth, int kBlocks>
AXELRAM_KERNEL AXELRAM_BOUNDS(32 * kWarps, kBlocks) void score_tiles_kernel(ScoreTilesArguments s) {
  constexpr int kDim = 1 << kLog2Dim;
  const auto sequence = static_cast<std::int32_t>(block_z());
  const auto head = static_cast<std::int32_t>(block_y());
  const auto lane = static_cast<std::int32_t>(lane_index());
  const std::int32_t length = load(s.lengths + sequence);
  const std::int32_t tiles = (length + kTileTokens - 1) / kTileTokens;
  const auto warp = block_x() * kWarps + warp_index();
  const std::int64_t first_tile = static_cast<std::int64_t>(warp) * s.warp_tiles;
  if (first_tile >= tiles) return;
  const auto first = static_cast<std::int32_t>(first_tile);
  const std::int32_t count = tiles - first < s.warp_tiles ? tiles - first : s.warp_tiles;

  // Lane i holds the address of tile i.
  const std::int32_t mine = first + (lane < count ? lane : count - 1);
  const PageSlot slot = page_slot(s.keys, s.table, sequence, mine * kTileTokens);
  const auto address =
      reinterpret_cast<std::uintptr_t>(tile_of(s.keys, slot.page, head, slot.token));
  const auto tile = [&](std::int32_t i) {
    return reinterpret_cast<const std::uint8_t*>(shuffle(address, static_cast<unsigned>(i)));
  };

  LaneTile<tile_lane_words(kDim, kBits)> stages[kDepth];
  AXELRAM_UNROLL
  for (int stage = 0; stage < kDepth; ++stage)
    if (stage < count) load_tile<kLog2Dim, kBits>(stages[stage], tile(stage));

  const auto row = (static_cast<std::size_t>(sequence) * static_cast<std::size_t>(s.keys.heads) +
                    static_cast<std::size_t>(head)) *
                   static_cast<std::size_t>(s.group);
  LaneQueries<kDim> queries;
  queries.fetch(s, row);
  LaneRows rows;
  const std::int32_t lane_token = first * kTileTokens + lane % 4 * 2;
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
  std::int32_t left = end - first * kTileTokens;

  int stage = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    std::int32_t sums[4][4];
    std::uint32_t norms = 0;
    sync_warp();  // lanes of rows that do not exist come here first
    AXELRAM_UNROLL
    for (int k = 0; k < kDepth; ++k) {
      if (stage != k) continue;
      multiply_tile<kLog2Dim, kBits, kTrellis>(sums, stages[k], queries, s.centroids);
      norms = stages[k].norms;
      if (i + kDepth < count) load_tile<kLog2Dim, kBits>(stages[k], tile(i + kDepth));
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
  check_pages("score_tiles", keys);
  const std::uint64_t tiles = static_cast<std::uint64_t>(table.max_pages) *
                              static_cast<std::uint64_t>(keys.page_tokens / kTileTokens);
  Launch shape{"score_tiles",
               std::to_string(table.sequences) + " sequences of at most " +
                   std::to_string(tiles * kTileTokens) + " keys, " + text_of(keys) +
                   ", groups of " + std::to_string(group),
               0};
  const auto require = [&](bool holds, const std::string& what) {
    if (!holds) throw DeviceError(shape.text() + ": " + what);
  };
  require(keys.kind == RowKind::records && !keys.values, "these are no pages of key records");
  require(keys.head_dim == constants.head_dim && keys.index_bits == constants.index_bits,
          "the constants are of head_dim " + std::to_string(constants.head_dim) +
              " and index_bits " + std::to_string(constants.index_bits));
  require(constants.query_bits <= 8 && constants.centroid_bits <= 8,
          "query_bits and centroid_bits are " + std::to_string(constants.query_bits) + " and " +
              std::to_string(constants.centroid_bits) + "; at most 8 fit");
  require(group >= 1 && group <= kMaxGroup, "a group must be of 1..16");
  require(score_stride % 2 == 0, "score_stride must be even");
  require(tiles * kTileTokens <= 0x7FFFFFFF, "at most 2147483647 keys of a sequence fit");

  // So many rounds of the 16 warps of each of 132 multiprocessors, as far as there is work for
  // them: with fewer, the last round leaves more of the device idle. Beyond, a warp has enough
  // tiles for its pipeline and against the loading of its queries, and a trellis costs more to
  // begin.
  const std::uint64_t rounds = constants.states != 0 ? 8 : 16;
  const std::uint64_t warps_wanted = rounds * 16 * 132;
  const std::uint64_t all =
      tiles * static_cast<std::uint64_t>(keys.heads) * static_cast<std::uint64_t>(table.sequences);
  const std::uint64_t warp_tiles =
      std::clamp<std::uint64_t>((all + warps_wanted - 1) / warps_wanted, 2, 16);
  shape.grid_x = (tiles + kWarps * warp_tiles - 1) / (kWarps * warp_tiles);
  shape.grid_y = static_cast<std::uint64_t>(keys.heads);
  shape.grid_z = static_cast<std::uint64_t>(table.sequences);
  shape.threads = 32 * kWarps;
  const ScoreTilesArguments s{keys,
                              table,
                              lengths,
                              group,
                              u,
                              exponents,
                              score_stride,
                              scores,
                              accumulators,
                              centroid_bytes(constants),
                              static_cast<std::int32_t>(warp_tiles)};
  if (constants.states != 0)
    launch_tiles<true>(stream, shape, s);
  else
    launch_tiles<false>(stream, shape, s);
}

}  // namespace axelram::kernels
