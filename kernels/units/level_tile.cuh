#pragma once

#include <cstdint>

#include "units/tile.cuh"
#include "units/trellis.cuh"
#include "units/trellis_tile.cuh"

namespace axelram::kernels {

/// Levels of 32 tokens of one head, a byte each, in shared memory of a warp.
template <int kDim>
struct LevelTile {
  static constexpr int kStride = kDim / 4 + 1;  ///< words of a token: odd, for different banks

  std::uint32_t words[kTileTokens * kStride];

  AXELRAM_DEVICE std::uint32_t* row(int token) { return words + token * kStride; }
  AXELRAM_DEVICE std::uint32_t level(int token, int dim) const {
    return reinterpret_cast<const std::uint8_t*>(words + token * kStride)[dim];
  }

  /// Fills all rows from a tile of records of one part. states: of their trellis; 0: none. Begins
  /// and ends with sync_warp().
  AXELRAM_DEVICE void fill(const std::uint8_t* tile, const TilePart& part, bool values,
                           int states) {
    sync_warp();
    visit_bits<4>(part.index_bits, [&](auto b) { unpack<b>(tile, part, values); });
    sync_warp();
    if (states == 0) return;
    std::uint32_t* const mine = row(static_cast<int>(lane_index()));
    std::uint32_t state = 0;
    for (int w = 0; w < kDim / 4; ++w) {
      std::uint32_t levels = 0;
      AXELRAM_UNROLL
      for (int k = 0; k < 4; ++k)
        levels |= next_level(states, mine[w] >> (8 * k) & 255U, state) << (8 * k);
      mine[w] = levels;
    }
    sync_warp();
  }

 private:
  template <int kBits>
  AXELRAM_DEVICE void unpack(const std::uint8_t* tile, const TilePart& part, bool values) {
    std::uint32_t payload[tile_lane_words(kDim, kBits)];
    load_payload<kDim, kBits, false>(payload, tile + 4 * part.first_word);
    const int lane = static_cast<int>(lane_index());
    auto* const bytes = reinterpret_cast<std::uint8_t*>(words);
    AXELRAM_UNROLL
    for (int unit = 0; unit < kDim / 32; ++unit) {
      std::uint32_t w[kBits], selectors[4];
      unit_words<kBits>(payload, unit, w);
      unit_selectors<kBits>(w, selectors);
      AXELRAM_UNROLL
      for (int i = 0; i < 32; ++i) {
        const TileElement e = tile_element(values, part.log2_dim, lane, 32 * unit + i);
        bytes[4 * kStride * e.token + e.dim] =
            static_cast<std::uint8_t>(selectors[i / 8] >> (4 * (i % 8)) & 15U);
      }
    }
  }
};

}  // namespace axelram::kernels
