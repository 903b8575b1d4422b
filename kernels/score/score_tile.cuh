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
template <int kLog2Dim, int kBits, bool kTrellis>
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
    std::uint32_t bytes[8];
    if constexpr (kTrellis) {
      using Earlier = EarlierKeyBits<(1 << kLog2Dim), kBits>;
      expand_levels<kBits, Earlier>(tile.payload, unit, centroids, bytes);
    } else {
      std::uint32_t w[kBits];
      unit_words<kBits>(tile.payload, unit, w);
      expand_unit<kBits>(w, centroids, bytes);
    }
    AXELRAM_UNROLL
    for (int pair = 0; pair < 4; ++pair) {
      const int first = 8 * unit + 2 * pair;
      const std::uint32_t b[2] = {bytes[2 * pair], bytes[2 * pair + 1]};
      mma_s8(sums[first / kRegisters], queries.a[first % kRegisters / 2], b);
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
