#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/pages.hpp"
#include "device/platform.cuh"
#include "units/norm.cuh"
#include "units/score.cuh"
#include "units/tile.cuh"
#include "units/trellis_tile.cuh"

/// Scores of one tile of keys, computed by a warp.
namespace axelram::kernels {

/// Arguments of score_tiles.
struct ScoreTilesArguments {
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

/// A lane's part of a tile: its payload, and the norms of tokens 2 * (lane % 16) and the next.
template <int kWords>
struct LaneTile {
  std::uint32_t payload[kWords];
  std::uint32_t norms;
};

/// Norms of tokens 2 * (lane % 16) and the next.
AXELRAM_DEVICE std::uint32_t load_norms(const std::uint8_t* norms) {
  return load_streaming(reinterpret_cast<const std::uint32_t*>(norms) + lane_index() % 16);
}

template <int kLog2Dim, int kBits>
AXELRAM_DEVICE void load_tile(LaneTile<(kBits << kLog2Dim) / 32>& to, const std::uint8_t* tile) {
  to.norms = load_norms(tile + tile_norm(1 << kLog2Dim, kBits, 0));
  load_payload<(1 << kLog2Dim), kBits, true>(to.payload, tile);
}

/// The tiles of a warp: consecutive ones of a sequence and head.
struct WarpTiles {
  std::int32_t first, count;
  std::uintptr_t address;  ///< of tile first + lane

  /// all: of the sequence; most: of a warp, at most 32. No tiles if the warp begins behind them.
  AXELRAM_DEVICE WarpTiles(const Pages& keys, const BlockTable& table, std::int32_t sequence,
                           std::int32_t head, std::int32_t all, unsigned warp, std::int32_t most)
      : first(all), count(0), address(0) {
    const std::int64_t begin = static_cast<std::int64_t>(warp) * most;
    if (begin >= all) return;
    first = static_cast<std::int32_t>(begin);
    count = all - first < most ? all - first : most;
    const auto lane = static_cast<std::int32_t>(lane_index());
    const std::int32_t mine = first + (lane < count ? lane : count - 1);
    const PageSlot slot = page_slot(keys, table, sequence, mine * kTileTokens);
    address = reinterpret_cast<std::uintptr_t>(tile_of(keys, slot.page, head, slot.token));
  }
  AXELRAM_DEVICE const std::uint8_t* operator[](std::int32_t i) const {
    return reinterpret_cast<const std::uint8_t*>(shuffle(address, static_cast<unsigned>(i)));
  }
};

/// A fragments of the queries of a group: rows g and g + 8 of those from u on, `stride` bytes
/// apart.
template <int kDim>
AXELRAM_DEVICE void load_queries(std::uint32_t (&a)[kDim / 32][4], const std::int8_t* u,
                                 std::size_t stride, std::int32_t group) {
  const unsigned g = lane_index() / 4, t = lane_index() % 4;
  AXELRAM_UNROLL
  for (unsigned r = 0; r < 2; ++r) {
    const unsigned row = g + 8 * r;
    const bool present = row < static_cast<unsigned>(group);
    const std::int8_t* const from = u + row * stride + t * (kDim / 4);
    AXELRAM_UNROLL
    for (unsigned step = 0; step < kDim / 32; ++step) {
      Words2 v{};
      if (present) v = load(reinterpret_cast<const Words2*>(from) + step);
      a[step][r] = v.w[0];
      a[step][r + 2] = v.w[1];
    }
  }
}

/// The rows of a lane: g and g + 8 of the group, as A fragments of the queries, with the
/// exponents of their scores.
template <int kDim>
struct LaneQueries {
  static constexpr int kSteps = kDim / 32;
  std::uint32_t a[kSteps][4];
  std::int32_t exponents[2];
  bool present[2];

  /// first: the row of the group's first query head.
  AXELRAM_DEVICE void fetch(const ScoreTilesArguments& s, std::size_t first) {
    load_queries<kDim>(a, s.u + first * kDim, kDim, s.group);
    AXELRAM_UNROLL
    for (unsigned r = 0; r < 2; ++r) {
      const unsigned row = lane_index() / 4 + 8 * r;
      present[r] = row < static_cast<unsigned>(s.group);
      exponents[r] = present[r] ? load(s.exponents + first + row) : 0;
    }
  }
};

/// sums[kappa] is the C fragment of tokens 8 * kappa ..: queries times centroids, plus kSumBias.
template <int kLog2Dim, int kBits, bool kTrellis, int kRoom>
AXELRAM_DEVICE void multiply_payload(std::int32_t (&sums)[4][4],
                                     const std::uint32_t (&payload)[kRoom],
                                     const std::uint32_t (&queries)[(1 << kLog2Dim) / 32][4],
                                     const CentroidBytes& centroids) {
  constexpr int kUnits = (1 << kLog2Dim) / 32, kRegisters = (1 << kLog2Dim) / 16;
  AXELRAM_UNROLL
  for (int kappa = 0; kappa < 4; ++kappa) AXELRAM_UNROLL
  for (int i = 0; i < 4; ++i) sums[kappa][i] = kSumBias;
  AXELRAM_UNROLL
  for (int unit = 0; unit < kUnits; ++unit) {
    std::uint32_t bytes[8];
    if constexpr (kTrellis) {
      using Earlier = EarlierKeyBits<(1 << kLog2Dim), kBits>;
      expand_levels<kBits, Earlier>(payload, unit, centroids, bytes);
    } else {
      std::uint32_t w[kBits];
      unit_words<kBits>(payload, unit, w);
      expand_unit<kBits>(w, centroids, bytes);
    }
    AXELRAM_UNROLL
    for (int pair = 0; pair < 4; ++pair) {
      const int first = 8 * unit + 2 * pair;
      const std::uint32_t b[2] = {bytes[2 * pair], bytes[2 * pair + 1]};
      mma_s8(sums[first / kRegisters], queries[first % kRegisters / 2], b);
    }
  }
}

/// Destination of a lane's sums, and the factors that turn them into scores.
struct LaneRows {
  std::size_t at[2];  ///< in the results, of the lane's first token of the tile
  bool present[2];
  std::int32_t exponents[2];
  float powers[2];  ///< 2^exponent, if plain
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
AXELRAM_DEVICE void write_any(const ScoreTilesArguments& s, const std::int32_t (&sums)[4][4],
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

}  // namespace axelram::kernels
