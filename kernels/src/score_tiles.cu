#include <algorithm>
#include <string>

#include "axelram/kernels/scores.hpp"
#include "check_pages.hpp"
#include "launch.cuh"
#include "norm_value.cuh"
#include "score.cuh"
#include "tile.cuh"

namespace axelram::kernels {
namespace {

constexpr int kWarps = 4;
constexpr int kMostGroup = 16;

struct TileScores {
  Pages keys;
  BlockTable table;
  const std::int32_t* lengths;
  std::int32_t group;
  const std::int8_t* u;
  const std::int32_t* exponents;
  std::size_t stride;
  float* scores;
  std::int32_t* accumulators;
  CentroidBytes centroids;
  std::int32_t warp_tiles;  ///< at most 32
};

/// What a lane holds of a tile: its payload, and the norms of tokens 2 * (lane % 16) and the next.
template <int kWords>
struct LaneTile {
  std::uint32_t payload[kWords];
  std::uint32_t norms;
};

template <int kLog2Dim, int kBits>
AXELRAM_DEVICE void load_tile(LaneTile<(kBits << kLog2Dim) / 32>& to, const std::uint8_t* tile) {
  constexpr int kDim = 1 << kLog2Dim, kWords = tile_lane_words(kDim, kBits);
  constexpr int kVector = tile_vector_words(kDim, kBits);
  const unsigned lane = lane_index();
  to.norms = load_streaming(
      reinterpret_cast<const std::uint32_t*>(tile + tile_norm(kDim, kBits, 0)) + lane % 16);
  AXELRAM_UNROLL
  for (int i = 0; i < kWords / kVector; ++i) {
    const auto* const from = reinterpret_cast<const std::uint32_t*>(tile) +
                             (32 * static_cast<unsigned>(i) + lane) * kVector;
    if constexpr (kVector == 4) {
      const Words4 v = load_streaming(reinterpret_cast<const Words4*>(from));
      AXELRAM_UNROLL
      for (int k = 0; k < 4; ++k) to.payload[4 * i + k] = v.w[k];
    } else if constexpr (kVector == 2) {
      const Words2 v = load_streaming(reinterpret_cast<const Words2*>(from));
      to.payload[2 * i] = v.w[0];
      to.payload[2 * i + 1] = v.w[1];
    } else {
      to.payload[i] = load_streaming(from);
    }
  }
}

/// The rows of a lane: g and g + 8 of the group, as A fragments of the queries, with what turns
/// their accumulators into scores.
template <int kDim>
struct LaneQueries {
  static constexpr int kSteps = kDim / 32;
  std::uint32_t a[kSteps][4];
  std::int32_t exponents[2];
  bool present[2];

  /// first: the row of the group's first query head.
  AXELRAM_DEVICE void fetch(const TileScores& s, std::size_t first) {
    const unsigned g = lane_index() / 4, t = lane_index() % 4;
    AXELRAM_UNROLL
    for (unsigned r = 0; r < 2; ++r) {
      const unsigned row = g + 8 * r;
      present[r] = row < static_cast<unsigned>(s.group);
      exponents[r] = present[r] ? load(s.exponents + first + row) : 0;
      const std::int8_t* const from = s.u + (first + row) * kDim + t * (kDim / 4);
      AXELRAM_UNROLL
      for (unsigned step = 0; step < kSteps; ++step) {
        Words2 v{};
        if (present[r]) v = load(reinterpret_cast<const Words2*>(from) + step);
        a[step][r] = v.w[0];
        a[step][r + 2] = v.w[1];
      }
    }
  }
};

/// Integer sums start here: the bits of the float 1.5 * 2^23, so that sum is a float, exactly, for
/// |acc| < 2^22.
constexpr std::int32_t kSumBias = 0x4B400000;
constexpr float kFloatBias = 12582912.0F;

/// sums[kappa] is the C fragment of tokens 8 * kappa ..: queries times centroids, plus kSumBias.
template <int kLog2Dim, int kBits>
AXELRAM_DEVICE void multiply_tile(std::int32_t (&sums)[4][4],
                                  const LaneTile<(kBits << kLog2Dim) / 32>& tile,
                                  const LaneQueries<(1 << kLog2Dim)>& queries,
                                  const CentroidBytes& centroids) {
  constexpr int kUnits = (1 << kLog2Dim) / 32, kRegisters = (1 << kLog2Dim) / 16;
  AXELRAM_UNROLL
  for (int kappa = 0; kappa < 4; ++kappa) AXELRAM_UNROLL
  for (int i = 0; i < 4; ++i) sums[kappa][i] = kSumBias;
  AXELRAM_UNROLL
  for (int unit = 0; unit < kUnits; ++unit) {
    std::uint32_t w[kBits], bytes[8];
    AXELRAM_UNROLL
    for (int i = 0; i < kBits; ++i) w[i] = tile.payload[unit * kBits + i];
    expand_unit<kBits>(w, centroids, bytes);
    AXELRAM_UNROLL
    for (int pair = 0; pair < 4; ++pair) {
      const int first = 8 * unit + 2 * pair;
      const std::uint32_t b[2] = {bytes[2 * pair], bytes[2 * pair + 1]};
      mma_s8(sums[first / kRegisters], queries.a[first % kRegisters / 2], b);
    }
  }
}

/// What turns the sums of a lane's rows into scores, and where they belong.
struct LaneRows {
  std::size_t at[2];  ///< in the results, of the lane's first token of the tile
  bool present[2];
  std::int32_t exponents[2];
  float powers[2];  ///< 2^exponent, where plain
};

/// A whole tile of which all exponents are plain: no branches but for rows that do not exist.
AXELRAM_DEVICE void write_plain(float* scores, const std::int32_t (&sums)[4][4],
                                std::uint32_t norms, const LaneRows& rows) {
  const unsigned t = lane_index() % 4;
  float n[8];
  AXELRAM_UNROLL
  for (unsigned kappa = 0; kappa < 4; ++kappa) {
    const std::uint32_t pair = shuffle(norms, 4 * kappa + t);
    n[2 * kappa] = norm_value(static_cast<std::uint16_t>(pair));
    n[2 * kappa + 1] = norm_value(static_cast<std::uint16_t>(pair >> 16));
  }
  AXELRAM_UNROLL
  for (int r = 0; r < 2; ++r) {
    if (!rows.present[r]) continue;
    float* const to = scores + rows.at[r];
    AXELRAM_UNROLL
    for (int kappa = 0; kappa < 4; ++kappa) {
      Words2 pair;
      AXELRAM_UNROLL
      for (int i = 0; i < 2; ++i) {
        const auto sum = static_cast<std::uint32_t>(sums[kappa][2 * r + i]);
        const float acc = float_of_bits(sum) - kFloatBias;
        pair.w[i] = bits_of_float(plain_score(acc, n[2 * kappa + i], rows.powers[r]));
      }
      store_vector(reinterpret_cast<Words2*>(to + 8 * kappa), pair);
    }
  }
}

/// Any tile, its first `left` tokens from the lane's first one on; also accumulators.
AXELRAM_DEVICE void write_any(const TileScores& s, const std::int32_t (&sums)[4][4],
                              std::uint32_t norms, const LaneRows& rows, std::int32_t left) {
  AXELRAM_UNROLL
  for (int kappa = 0; kappa < 4; ++kappa) {
    const std::uint32_t pair = shuffle(norms, 4 * static_cast<unsigned>(kappa) + lane_index() % 4);
    AXELRAM_UNROLL
    for (int i = 0; i < 4; ++i) {
      const int r = i / 2, token = 8 * kappa + i % 2;
      if (!rows.present[r] || token >= left) continue;
      const std::int32_t acc = sums[kappa][i] - kSumBias;
      const std::size_t at = rows.at[r] + static_cast<std::size_t>(token);
      bool saturated;
      s.scores[at] = score_ref(acc, static_cast<std::uint16_t>(pair >> (16 * (i % 2))),
                               rows.exponents[r], &saturated);
      if (s.accumulators != nullptr) s.accumulators[at] = acc;
    }
  }
}

/// A warp scores up to warp_tiles consecutive tiles of one head against its group; kDepth - 1 of
/// them are on their way while it multiplies one. A key at d = 128, b = 3 is 50 bytes read and 4 *
/// group written, and about 84 integer instructions of one thread to expand it, 0.5 of a tensor
/// core's m16n8k32 a warp: memory limits it.
template <int kLog2Dim, int kBits, int kDepth, int kBlocks>
AXELRAM_KERNEL AXELRAM_BOUNDS(32 * kWarps, kBlocks) void score_tiles_kernel(TileScores s) {
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

  // Lane i knows where tile i lies.
  const std::int32_t mine = first + (lane < count ? lane : count - 1);
  const PagePlace place = page_place(s.keys, s.table, sequence, mine * kTileTokens);
  const auto address =
      reinterpret_cast<std::uintptr_t>(tile_of(s.keys, place.page, head, place.token));
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
    AXELRAM_UNROLL
    for (int k = 0; k < kDepth; ++k) {
      if (stage != k) continue;
      multiply_tile<kLog2Dim, kBits>(sums, stages[k], queries, s.centroids);
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

template <int kLog2Dim, int kBits>
void launch_tiles(Stream& stream, const Launch& shape, const TileScores& s) {
  // Registers hold the queries, 2^kLog2Dim / 8 words, and kDepth payloads.
  constexpr int kBlocks = kLog2Dim == 8 ? 2 : 4;
  constexpr int kDepth = tile_lane_words(1 << kLog2Dim, kBits) > 12 ? 2 : 3;
  launch(stream, shape, score_tiles_kernel<kLog2Dim, kBits, kDepth, kBlocks>, s);
}
template <int kLog2Dim>
void launch_tiles(Stream& stream, const Launch& shape, const TileScores& s) {
  if (s.keys.index_bits == 2) launch_tiles<kLog2Dim, 2>(stream, shape, s);
  if (s.keys.index_bits == 3) launch_tiles<kLog2Dim, 3>(stream, shape, s);
  if (s.keys.index_bits == 4) launch_tiles<kLog2Dim, 4>(stream, shape, s);
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
  require(group >= 1 && group <= kMostGroup, "a group must be of 1..16");
  require(score_stride % 2 == 0, "score_stride must be even");
  require(tiles * kTileTokens <= 0x7FFFFFFF, "at most 2147483647 keys of a sequence fit");

  // Four rounds of the 16 warps of each of 132 multiprocessors, as far as there is work for them;
  // beyond, a warp has enough tiles for its pipeline and against the loading of its queries.
  constexpr std::uint64_t kWarpsWanted = 4 * 16 * 132;
  const std::uint64_t all =
      tiles * static_cast<std::uint64_t>(keys.heads) * static_cast<std::uint64_t>(table.sequences);
  const std::uint64_t warp_tiles =
      std::clamp<std::uint64_t>((all + kWarpsWanted - 1) / kWarpsWanted, 2, 16);
  shape.grid_x = (tiles + kWarps * warp_tiles - 1) / (kWarps * warp_tiles);
  shape.grid_y = static_cast<std::uint64_t>(keys.heads);
  shape.grid_z = static_cast<std::uint64_t>(table.sequences);
  shape.threads = 32 * kWarps;
  const TileScores s{keys,
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
  if (constants.head_dim == 32) launch_tiles<5>(stream, shape, s);
  if (constants.head_dim == 64) launch_tiles<6>(stream, shape, s);
  if (constants.head_dim == 128) launch_tiles<7>(stream, shape, s);
  if (constants.head_dim == 256) launch_tiles<8>(stream, shape, s);
}

}  // namespace axelram::kernels
