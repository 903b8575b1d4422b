#pragma once

#include <cmath>
#include <cstdint>

#include "units/norm.cuh"
#include "units/row_major_tile.cuh"
#include "units/score.cuh"
#include "units/staged_tile.cuh"
#include "units/tile.cuh"
#include "units/trellis_tile.cuh"

/// Products of a warp with a tile of 32 tokens on the tensor cores, its operands as they come from
/// the cache. Query heads are columns, eight at a time, so that keys and values are the left
/// matrices, of 16 rows, and none of their rows is spent on padding. Lane = 4g + t.
namespace axelram::kernels {

/// How the indices of a tile become centroids: each alone, or as levels of a trellis of keys or of
/// values, which lie in different orders.
enum class TileLevels { alone, of_keys, of_values };

/// The words and norms of a tile of records in a warp's registers, as loaded.
template <int kDim, int kBits, TileLevels kLevels>
struct TileWords {
  static constexpr int kWords = tile_lane_words(kDim, kBits);

  std::uint32_t words[kWords] = {};
  std::uint16_t norm = 0;  ///< of token `lane`

  AXELRAM_DEVICE void load_tile(const std::uint8_t* tile) {
    load_payload<kDim, kBits, false>(words, tile);
    const auto lane = static_cast<int>(lane_index());
    norm = load(reinterpret_cast<const std::uint16_t*>(tile + tile_norm(kDim, kBits, lane)));
  }

  /// Norms of tokens 8i + g, i = 0..3, at least `least`.
  AXELRAM_DEVICE void norms(float least, float (&values)[4]) const {
    const float mine = std::fmax(norm_value(norm), least);
    AXELRAM_UNROLL
    for (unsigned i = 0; i < 4; ++i) values[i] = shuffle(mine, 8 * i + lane_index() / 4);
  }

  AXELRAM_DEVICE void expand(int unit, const CentroidBytes& table,
                             std::uint32_t (&bytes)[8]) const {
    if constexpr (kLevels == TileLevels::of_keys) {
      expand_levels<kBits, EarlierKeyBits<kDim, kBits>>(words, unit, table, bytes);
    } else if constexpr (kLevels == TileLevels::of_values) {
      expand_levels<kBits, EarlierValueBits<kBits>>(words, unit, table, bytes);
    } else {
      std::uint32_t w[kBits];
      unit_words<kBits>(words, unit, w);
      expand_unit<kBits>(w, table, bytes);
    }
  }
};

/// Scores of 8 query heads with 32 tokens: tokens 8i + g, query heads 2t and 2t + 1.
using TileScores = float[4][2];

/// Query head g as B fragments: bytes of u_i, as tile.cuh orders them.
template <int kDim>
using QueryBytes = std::uint32_t[kDim / 32][2];

/// u: of query head g, [kDim]; not read if there is none.
template <int kDim>
AXELRAM_DEVICE void load_query_bytes(QueryBytes<kDim>& query, const std::int8_t* u, bool present) {
  const int t = static_cast<int>(lane_index()) % 4;
  AXELRAM_UNROLL
  for (int s = 0; s < kDim / 32; ++s) {
    Words2 v{};
    if (present) v = load(reinterpret_cast<const Words2*>(u + kDim / 4 * t + 8 * s));
    query[s][0] = v.w[0];
    query[s][1] = v.w[1];
  }
}

/// Integer sums of tokens 16m + g and 16m + 8 + g with query heads 2t and 2t + 1, plus kSumBias.
/// expand(unit, bytes): the centroids of a unit of the tile.
template <int kDim, class Expand>
AXELRAM_DEVICE void multiply_tokens(std::int32_t (&sums)[4], int m, const QueryBytes<kDim>& query,
                                    const Expand& expand) {
  // Units that hold 16 tokens, or 32 in one unit; registers of 8 tokens.
  constexpr bool kOneUnit = kDim < 64;
  constexpr int kUnits = kOneUnit ? 1 : kDim / 64, kEight = kDim / 16;
  std::uint32_t bytes[kUnits][8];
  AXELRAM_UNROLL
  for (int i = 0; i < kUnits; ++i) expand(kOneUnit ? 0 : kUnits * m + i, bytes[i]);
  AXELRAM_UNROLL
  for (int i = 0; i < 4; ++i) sums[i] = kSumBias;
  AXELRAM_UNROLL
  for (int s = 0; s < kDim / 32; ++s) {
    const int lower = kOneUnit ? 2 * kEight * m + 2 * s : 2 * s, upper = lower + kEight;
    const std::uint32_t a[4] = {bytes[lower / 8][lower % 8], bytes[upper / 8][upper % 8],
                                bytes[lower / 8][lower % 8 + 1], bytes[upper / 8][upper % 8 + 1]};
    mma_s8(sums, a, query[s]);
  }
}

/// Exact integer scores of record keys.
template <int kDim>
struct RecordScores {
  QueryBytes<kDim> query;
  float factors[2];  ///< of query heads 2t and 2t + 1

  /// tile: TileWords or RowMajorTile.
  template <class Tile>
  AXELRAM_DEVICE void multiply(const Tile& tile, const CentroidBytes& table,
                               TileScores& scores) const {
    static_assert(kDim * 127 * 127 < 1 << 22);
    float norms[4];
    tile.norms(0, norms);
    AXELRAM_UNROLL
    for (int m = 0; m < 2; ++m) {
      std::int32_t sums[4];
      multiply_tokens<kDim>(sums, m, query, [&](int unit, std::uint32_t(&bytes)[8]) {
        tile.expand(unit, table, bytes);
      });
      AXELRAM_UNROLL
      for (int i = 0; i < 4; ++i)
        scores[2 * m + i / 2][i % 2] =
            (float_of_bits(static_cast<std::uint32_t>(sums[i])) - kFloatBias) *
            norms[2 * m + i / 2] * factors[i % 2];
    }
  }
};

/// Scores of FP16 keys.
template <int kDim>
struct RowScores {
  Half2 query[kDim / 16][2];  ///< of query head g
  float factor;

  AXELRAM_DEVICE void load_query(const std::uint16_t* q, bool present) {
    const int t = static_cast<int>(lane_index()) % 4;
    AXELRAM_UNROLL
    for (int s = 0; s < kDim / 16; ++s) {
      AXELRAM_UNROLL
      for (int i = 0; i < 2; ++i)
        query[s][i] =
            present ? load(reinterpret_cast<const std::uint32_t*>(q + 16 * s + 8 * i + 2 * t)) : 0;
    }
  }

  AXELRAM_DEVICE void multiply(const StagedTile<kDim>& rows, TileScores& scores) const {
    AXELRAM_UNROLL
    for (int m = 0; m < 2; ++m) {
      float sums[4] = {0, 0, 0, 0};
      AXELRAM_UNROLL
      for (int s = 0; s < kDim / 16; ++s) {
        std::uint32_t a[4];
        rows.rows_fragment(m, s, a);
        mma_f16(sums, a, query[s]);
      }
      AXELRAM_UNROLL
      for (int i = 0; i < 4; ++i) scores[2 * m + i / 2][i % 2] = sums[i] * factor;
    }
  }
};

/// Sums of values, [d, 8 query heads]: of dimensions 16j + g (c[0], c[1]) and 16j + 8 + g, query
/// heads 2t and 2t + 1.
template <int kDim>
struct TileSums {
  float c[kDim / 16][4] = {};

  AXELRAM_DEVICE void rescale(const float (&factors)[2]) {
    AXELRAM_UNROLL
    for (int j = 0; j < kDim / 16; ++j) {
      AXELRAM_UNROLL
      for (int i = 0; i < 4; ++i) c[j][i] *= factors[i % 2];
    }
  }

  /// weights: of query head g, tokens 8i + 2t and 8i + 2t + 1.
  AXELRAM_DEVICE void add(const StagedTile<kDim>& rows, const Half2 (&weights)[4]) {
    AXELRAM_UNROLL
    for (int u = 0; u < 2; ++u) {
      const Half2 b[2] = {weights[2 * u], weights[2 * u + 1]};
      AXELRAM_UNROLL
      for (int j = 0; j < kDim / 16; ++j) {
        std::uint32_t a[4];
        rows.columns_fragment(j, u, a);
        mma_f16(c[j], a, b);
      }
    }
  }

  /// table: the centroids with their sign bits flipped, that is plus 128. high: 0x64646464, not as
  /// a constant, of which an instruction takes but one.
  template <int kBits, TileLevels kLevels>
  AXELRAM_DEVICE void add(const TileWords<kDim, kBits, kLevels>& tile, const CentroidBytes& table,
                          std::uint32_t high, const Half2 (&weights)[4]) {
    AXELRAM_UNROLL
    for (int unit = 0; unit < kDim / 32; ++unit) {
      std::uint32_t bytes[8];
      tile.expand(unit, table, bytes);
      AXELRAM_UNROLL
      for (int i = 0; i < 2; ++i) {
        AXELRAM_UNROLL
        for (int u = 0; u < 2; ++u) {
          const std::uint32_t upper = bytes[4 * i + u], lower = bytes[4 * i + 2 + u];
          const Half2 a[4] = {
              signed_halves<0x4140>(upper, high), signed_halves<0x4140>(lower, high),
              signed_halves<0x4342>(upper, high), signed_halves<0x4342>(lower, high)};
          const Half2 b[2] = {weights[2 * u], weights[2 * u + 1]};
          mma_f16(c[2 * unit + i], a, b);
        }
      }
    }
  }

  /// The same for row-major records. Here c[j] holds dimensions d/8 * g + 2j and, in c[j][2] and
  /// c[j][3], d/8 * g + 2j + 1.
  template <int kBits>
  AXELRAM_DEVICE void add(const RowMajorTile<kDim, kBits>& tile, const CentroidBytes& table,
                          std::uint32_t high, const Half2 (&weights)[4]) {
    const int t = static_cast<int>(lane_index()) % 4;
    AXELRAM_UNROLL
    for (int u = 0; u < 2; ++u) {
      const Half2 b[2] = {weights[2 * u], weights[2 * u + 1]};
      std::uint32_t bytes[4][kDim / 32];  // of tokens 2t, 2t + 1, 8 + 2t, 8 + 2t + 1
      AXELRAM_UNROLL
      for (int i = 0; i < 4; ++i)
        tile.expand_value(16 * u + 8 * (i / 2) + 2 * t + i % 2, table, bytes[i]);
      AXELRAM_UNROLL
      for (int j = 0; j < kDim / 16; ++j) {
        // Two dimensions of both tokens.
        const std::uint32_t select = j % 2 == 0 ? 0x5140 : 0x7362;
        const std::uint32_t left = permute_bytes(bytes[0][j / 2], bytes[1][j / 2], select);
        const std::uint32_t right = permute_bytes(bytes[2][j / 2], bytes[3][j / 2], select);
        const Half2 a[4] = {signed_halves<0x4140>(left, high), signed_halves<0x4342>(left, high),
                            signed_halves<0x4140>(right, high), signed_halves<0x4342>(right, high)};
        mma_f16(c[j], a, b);
      }
    }
  }

 private:
  /// Two bytes x + 128 as FP16 x: below 0x64 they are 1024 + 128 + x.
  template <std::uint32_t kSelect>
  static AXELRAM_DEVICE Half2 signed_halves(std::uint32_t bytes, std::uint32_t high) {
    return half2_subtract(permute_bytes(bytes, high, kSelect), 0x64806480);
  }
};

}  // namespace axelram::kernels
