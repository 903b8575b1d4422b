#pragma once

#include <cstdint>

#include "units/fragments.cuh"

/// Keys whose records have two parts as the left matrices of tensor cores, beside fragments.cuh.
namespace axelram::kernels {

/// Elements of a part.
AXELRAM_HD constexpr int part_dim(PartKind kind, int head_dim) {
  return kind == PartKind::prod ? head_dim : head_dim / 2;
}

/// The words and norms of a tile in a warp's registers, as loaded.
template <int kDim, PartKind kKind>
struct PartWords {
  static constexpr int kPart = part_dim(kKind, kDim);
  static constexpr int kMost[2] = {most_bits(kKind, 0), most_bits(kKind, 1)};

  std::uint32_t first[tile_lane_words(kPart, kMost[0])] = {};
  std::uint32_t second[tile_lane_words(kPart, kMost[1])] = {};
  std::uint16_t norms[2] = {};  ///< of token `lane`
  std::int32_t bits[2] = {1, 1};

  AXELRAM_DEVICE void load_tile(const Pages& pages, const std::uint8_t* tile) {
    bits[0] = pages.index_bits;
    bits[1] = pages.second_bits;
    const int words = kPart * bits[0], all = words + kPart * bits[1];
    const auto* const halves =
        reinterpret_cast<const std::uint16_t*>(tile + 4 * all) + lane_index();
    norms[0] = load(halves);
    norms[1] = load(halves + kTileTokens);
    visit_bits<kMost[0]>(bits[0], [&](auto b) { load_payload<kPart, b, false>(first, tile); });
    visit_bits<kMost[1]>(bits[1],
                         [&](auto b) { load_payload<kPart, b, false>(second, tile + 4 * words); });
  }
};

/// Scores of keys of two parts, each rounded once to FP32 and then multiplied by a factor.
template <int kDim, PartKind kKind>
struct PartScores {
  static constexpr int kPart = part_dim(kKind, kDim);
  using Words = PartWords<kDim, kKind>;

  QueryBytes<kPart> queries[2];
  float factors[2];  ///< of query heads 2t and 2t + 1: 2^e_u times what scores are multiplied by
  double scales[2];  ///< of the second term

  /// Query head g lies at u + at and, with residual signs, at v + at, [kDim]; it is not read if
  /// there is none.
  AXELRAM_DEVICE void load_query(const std::int8_t* u, const std::int8_t* v, std::int64_t at,
                                 bool present) {
    const std::int8_t* const second = kKind == PartKind::prod ? v + at : u + at + kPart;
    load_query_bytes<kPart>(queries[0], u + at, present);
    load_query_bytes<kPart>(queries[1], second, present);
  }

  AXELRAM_DEVICE void multiply(const Words& tile, const CentroidBytes& first,
                               const CentroidBytes& second, TileScores& scores) const {
    std::int32_t sums[2][2][4];
    visit_bits<Words::kMost[0]>(
        tile.bits[0], [&](auto b) { multiply_part<b>(tile.first, first, queries[0], sums[0]); });
    visit_bits<Words::kMost[1]>(
        tile.bits[1], [&](auto b) { multiply_part<b>(tile.second, second, queries[1], sums[1]); });
    const float mine[2] = {norm_value(tile.norms[0]), norm_value(tile.norms[1])};
    AXELRAM_UNROLL
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned holder = 8 * i + lane_index() / 4;
      const auto norm = static_cast<double>(shuffle(mine[0], holder));
      const auto second_norm = static_cast<double>(shuffle(mine[1], holder));
      AXELRAM_UNROLL
      for (unsigned h = 0; h < 2; ++h) {
        const unsigned at = 2 * (i % 2) + h;
        scores[i][h] = static_cast<float>(score_of_sums(
                           sums[0][i / 2][at], norm, sums[1][i / 2][at], second_norm, scales[h])) *
                       factors[h];
      }
    }
  }

 private:
  template <int kBits, int kRoom>
  static AXELRAM_DEVICE void multiply_part(const std::uint32_t (&words)[kRoom],
                                           const CentroidBytes& table,
                                           const QueryBytes<kPart>& query,
                                           std::int32_t (&sums)[2][4]) {
    AXELRAM_UNROLL
    for (int m = 0; m < 2; ++m)
      multiply_tokens<kPart>(sums[m], m, query, [&](int unit, std::uint32_t(&bytes)[8]) {
        if constexpr (kKind == PartKind::split_trellis) {
          expand_levels<kBits, EarlierKeyBits<kPart, kBits>>(words, unit, table, bytes);
        } else {
          std::uint32_t w[kBits];
          unit_words<kBits>(words, unit, w);
          expand_unit<kBits>(w, table, bytes);
        }
      });
  }
};

}  // namespace axelram::kernels
