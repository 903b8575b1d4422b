#include "axelram/kernels/scores.hpp"
#include "common/row_checks.hpp"
#include "score/score_tile.cuh"
#include "score/tile_launch.hpp"

namespace axelram::kernels {
namespace {

struct PartTilesArguments {
  Pages keys;
  BlockTable table;
  const std::int32_t* lengths;
  std::int32_t group;
  TileQueries queries;
  std::size_t stride;
  float* scores;
  CentroidBytes centroids[2];  ///< of residual signs 1 and -1
  std::uint32_t residual_scale;
  std::int32_t log2_dim, warp_tiles;
};

/// A lane's part of a tile. kDim: elements of a part.
template <int kDim, PartKind kKind>
struct LaneParts {
  static constexpr int kBits[2] = {most_bits(kKind, 0), most_bits(kKind, 1)};
  std::uint32_t first[tile_lane_words(kDim, kBits[0])], second[tile_lane_words(kDim, kBits[1])];
  std::uint32_t norms[2];

  AXELRAM_DEVICE void load(const Pages& keys, const std::uint8_t* tile) {
    const int words = kDim * keys.index_bits, all = words + kDim * keys.second_bits;
    norms[0] = load_norms(tile + 4 * all);
    norms[1] = load_norms(tile + 4 * all + 2 * kTileTokens);
    visit_bits<kBits[0]>(keys.index_bits,
                         [&](auto b) { load_payload<kDim, b, true>(first, tile); });
    visit_bits<kBits[1]>(keys.second_bits,
                         [&](auto b) { load_payload<kDim, b, true>(second, tile + 4 * words); });
  }
};

/// Sums of one part of a tile with the queries of a group. A residual sign is an index of one bit
/// that selects the byte 1 or -1, and takes the way of all indices: a warp expands 32 of them with
/// some 20 instructions of a thread, for all queries of the group at once, and the tensor cores
/// add. By dp4a the sums of a token and 8 queries would take 256 instructions at d = 128, and by
/// the popcount of the 8 bit planes of v as many, which sm_90 issues at a quarter of the rate.
template <int kLog2Dim, bool kTrellis, int kMost, int kRoom>
AXELRAM_DEVICE void multiply_part(std::int32_t (&sums)[4][4], const std::uint32_t (&payload)[kRoom],
                                  const std::uint32_t (&queries)[(1 << kLog2Dim) / 32][4],
                                  std::int32_t index_bits, const CentroidBytes& centroids) {
  visit_bits<kMost>(index_bits, [&](auto b) {
    multiply_payload<kLog2Dim, b, kTrellis>(sums, payload, queries, centroids);
  });
}

/// What the sums of a lane's two rows become.
struct LaneResults {
  std::size_t at[2];  ///< in the results, of the lane's first token of the tile
  bool present[2];
  std::int32_t exponents[2];
  double scales[2];  ///< of the second term

  AXELRAM_DEVICE LaneResults(const PartTilesArguments& s, std::size_t first_row,
                             std::int32_t first_token) {
    AXELRAM_UNROLL
    for (unsigned r = 0; r < 2; ++r) {
      const unsigned g = lane_index() / 4 + 8 * r;
      const std::size_t row = first_row + g;
      present[r] = g < static_cast<unsigned>(s.group);
      exponents[r] = present[r] ? kernels::load(s.queries.exponents + row) : 0;
      scales[r] = 1;
      if (present[r] && s.queries.v8 != nullptr)
        scales[r] = residual_factor(s.residual_scale, s.log2_dim, exponents[r],
                                    kernels::load(s.queries.residual_exponents + row));
      at[r] = row * s.stride + static_cast<std::size_t>(first_token);
    }
  }

  /// The first `left` tokens from the lane's first one on. Instructions of FP64 are the limit of a
  /// large group on sm_90: nine for a score, two of them comparisons, and three conversions. On
  /// sm_89 they are 32 times slower.
  AXELRAM_DEVICE void store(float* scores, const std::int32_t (&sums)[2][4][4],
                            const std::uint32_t (&norms)[2], std::int32_t left) const {
    AXELRAM_UNROLL
    for (int kappa = 0; kappa < 4; ++kappa) {
      const unsigned holder = 4 * static_cast<unsigned>(kappa) + lane_index() % 4;
      const std::uint32_t first = shuffle(norms[0], holder), second = shuffle(norms[1], holder);
      AXELRAM_UNROLL
      for (int r = 0; r < 2; ++r) {
        if (!present[r]) continue;
        Words2 pair;
        AXELRAM_UNROLL
        for (int i = 0; i < 2; ++i) {
          const auto norm_of = [&](std::uint32_t both) {
            return static_cast<double>(norm_value(static_cast<std::uint16_t>(both >> (16 * i))));
          };
          const double score = score_of_sums(sums[0][kappa][2 * r + i], norm_of(first),
                                             sums[1][kappa][2 * r + i], norm_of(second), scales[r]);
          bool saturated;
          pair.w[i] = bits_of_float(round_score(score, exponents[r], &saturated));
        }
        float* const to = scores + at[r] + 8 * kappa;
        if (8 * kappa + 1 < left)
          store_vector(reinterpret_cast<Words2*>(to), pair);
        else if (8 * kappa < left)
          *to = float_of_bits(pair.w[0]);
      }
    }
  }
};

/// As score_tiles_kernel: a warp scores consecutive tiles of one head against its group, two of
/// which are in its registers. kLog2Dim: of a part.
template <int kLog2Dim, PartKind kKind, int kBlocks>
AXELRAM_KERNEL AXELRAM_BOUNDS(32 * kTileWarps,
                              kBlocks) void score_part_tiles_kernel(PartTilesArguments s) {
  constexpr int kDim = 1 << kLog2Dim, kDepth = 2;
  constexpr bool kTrellis = kKind == PartKind::split_trellis;
  using Parts = LaneParts<kDim, kKind>;
  const auto sequence = static_cast<std::int32_t>(block_z());
  const auto head = static_cast<std::int32_t>(block_y());
  const std::int32_t length = load(s.lengths + sequence);
  const std::int32_t tiles = (length + kTileTokens - 1) / kTileTokens;
  const WarpTiles warp(s.keys, s.table, sequence, head, tiles,
                       block_x() * kTileWarps + warp_index(), s.warp_tiles);
  if (warp.count == 0) return;

  Parts stages[kDepth];
  AXELRAM_UNROLL
  for (int stage = 0; stage < kDepth; ++stage)
    if (stage < warp.count) stages[stage].load(s.keys, warp[stage]);

  const auto row = (static_cast<std::size_t>(sequence) * static_cast<std::size_t>(s.keys.heads) +
                    static_cast<std::size_t>(head)) *
                   static_cast<std::size_t>(s.group);
  constexpr bool kProd = kKind == PartKind::prod;
  constexpr std::size_t kRow = kProd ? kDim : 2 * kDim;
  std::uint32_t queries[2][kDim / 32][4];
  load_queries<kDim>(queries[0], s.queries.u8 + row * kRow, kRow, s.group);
  load_queries<kDim>(queries[1],
                     kProd ? s.queries.v8 + row * kRow : s.queries.u8 + row * kRow + kDim, kRow,
                     s.group);
  const std::int32_t lane_token = static_cast<std::int32_t>(lane_index() % 4) * 2;
  LaneResults results(s, row, warp.first * kTileTokens + lane_token);
  const auto end =
      static_cast<std::size_t>(length) < s.stride ? length : static_cast<std::int32_t>(s.stride);
  std::int32_t left = end - warp.first * kTileTokens - lane_token;

  int stage = 0;
  for (std::int32_t i = 0; i < warp.count; ++i) {
    std::int32_t sums[2][4][4];
    std::uint32_t norms[2] = {0, 0};
    sync_warp();  // lanes of rows that do not exist come here first
    AXELRAM_UNROLL
    for (int k = 0; k < kDepth; ++k) {
      if (stage != k) continue;
      multiply_part<kLog2Dim, kTrellis, Parts::kBits[0]>(sums[0], stages[k].first, queries[0],
                                                         s.keys.index_bits, s.centroids[0]);
      multiply_part<kLog2Dim, kTrellis, Parts::kBits[1]>(sums[1], stages[k].second, queries[1],
                                                         s.keys.second_bits, s.centroids[1]);
      norms[0] = stages[k].norms[0];
      norms[1] = stages[k].norms[1];
      if (i + kDepth < warp.count) stages[k].load(s.keys, warp[i + kDepth]);
    }
    stage = stage + 1 == kDepth ? 0 : stage + 1;
    results.store(s.scores, sums, norms, left);
    left -= kTileTokens;
    results.at[0] += kTileTokens;
    results.at[1] += kTileTokens;
  }
}

template <int kLog2Dim, PartKind kKind>
void launch_part_tiles(Stream& stream, const Launch& shape, const PartTilesArguments& s) {
  // Registers hold the queries of both parts, 2^kLog2Dim / 4 words, and two payloads.
  constexpr bool kLarge = (most_bits(kKind, 0) + most_bits(kKind, 1)) << kLog2Dim > 512;
  constexpr int kBlocks = kLarge ? 2 : kLog2Dim == 7 ? 3 : 4;
  launch(stream, shape, score_part_tiles_kernel<kLog2Dim, kKind, kBlocks>, s);
}

template <PartKind kKind>
void launch_split_tiles(Stream& stream, const Launch& shape, const PartTilesArguments& s) {
  if (s.keys.head_dim == 64) launch_part_tiles<5, kKind>(stream, shape, s);
  if (s.keys.head_dim == 128) launch_part_tiles<6, kKind>(stream, shape, s);
  if (s.keys.head_dim == 256) launch_part_tiles<7, kKind>(stream, shape, s);
}

}  // namespace

void score_part_tiles(Stream& stream, const MacroConstants& c, const Pages& keys,
                      const BlockTable& table, const std::int32_t* lengths, std::int32_t group,
                      const TileQueries& queries, std::size_t score_stride, float* scores) {
  constexpr const char* kName = "score_part_tiles";
  require(c.two_parts(), kName, "constants", "records have one part");
  const TileLaunch tiles = tile_launch(kName, c, keys, table, group, score_stride);
  const PartTilesArguments s{keys,
                             table,
                             lengths,
                             group,
                             queries,
                             score_stride,
                             scores,
                             {centroid_bytes(c, c.states), centroid_bytes(c.second, c.states)},
                             c.residual_scale,
                             c.log2_dim,
                             tiles.warp_tiles};
  if (table.sequences > 0)
    require(queries.u8 != nullptr && queries.exponents != nullptr &&
                c.prod == (queries.v8 != nullptr && queries.residual_exponents != nullptr),
            kName, tiles.shape.shapes, "queries of these records have u, and with prod v");
  if (c.split && c.states != 0)
    return launch_split_tiles<PartKind::split_trellis>(stream, tiles.shape, s);
  if (c.split) return launch_split_tiles<PartKind::split>(stream, tiles.shape, s);
  if (c.head_dim == 32) launch_part_tiles<5, PartKind::prod>(stream, tiles.shape, s);
  if (c.head_dim == 64) launch_part_tiles<6, PartKind::prod>(stream, tiles.shape, s);
  if (c.head_dim == 128) launch_part_tiles<7, PartKind::prod>(stream, tiles.shape, s);
  if (c.head_dim == 256) launch_part_tiles<8, PartKind::prod>(stream, tiles.shape, s);
}

}  // namespace axelram::kernels
