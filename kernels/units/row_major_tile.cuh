#pragma once

#include <cmath>
#include <cstdint>

#include "units/norm.cuh"
#include "units/tile.cuh"

/// Records in their natural order of bits, in shared memory, as operands of tensor cores: some four
/// instructions more per eight indices than a tile takes, whose bits lie as they are needed.
namespace axelram::kernels {

/// 8 indices that follow each other from bit 0 on, one a nibble; higher bits of x do not matter.
template <int kBits>
AXELRAM_HD std::uint32_t spread_indices(std::uint32_t x) {
  const auto part = [&x](int shift, std::uint32_t moved, std::uint32_t kept) {
    x = (x << shift & moved) | (x & kept);
  };
  if constexpr (kBits == 2) {
    part(8, 0x00FF0000, 0x000000FF);
    part(4, 0x0F000F00, 0x000F000F);
    part(2, 0x30303030, 0x03030303);
  } else if constexpr (kBits == 3) {
    part(4, 0x0FFF0000, 0x00000FFF);
    part(2, 0x3F003F00, 0x003F003F);
    part(1, 0x70707070, 0x07070707);
  }
  return x;
}

/// 8 * kGroups indices of a record, from group `first` of eight on (a multiple of kGroups), one a
/// nibble.
template <int kBits, int kGroups>
AXELRAM_HD void record_selectors(const std::uint32_t* record, int first,
                                 std::uint32_t (&selectors)[kGroups]) {
  constexpr int kSize = 8 * kBits * kGroups;  // bits
  // They begin at a multiple of the largest power of two in kSize.
  constexpr int kStep = (kSize & -kSize) < 32 ? (kSize & -kSize) : 32;
  constexpr int kWords = (kSize + 32 - kStep + 31) / 32;
  const int bit = 8 * kBits * first;
  const std::uint32_t* const from = record + (bit >> 5);
  const auto shift = static_cast<unsigned>(bit & 31);
  std::uint32_t w[kWords + 1] = {};
  AXELRAM_UNROLL
  for (int i = 0; i < kWords; ++i) w[i] = from[i];
  if constexpr (kStep < 32) {
    AXELRAM_UNROLL
    for (int i = 0; i < kWords; ++i) w[i] = funnel_right(w[i], w[i + 1], shift);
  }
  AXELRAM_UNROLL
  for (int i = 0; i < kGroups; ++i) {
    const int at = 8 * kBits * i;
    selectors[i] =
        spread_indices<kBits>(funnel_right(w[at / 32], w[at / 32 + 1], static_cast<unsigned>(at)));
  }
}

/// 32 records of one head. Beside TileWords, whose functions it has.
template <int kDim, int kBits>
struct RowMajorTile {
  static constexpr int kWords = (kDim * kBits + 16 + 31) / 32;
  static constexpr int kStride = kWords | 1;  ///< odd, so that rows lie in different banks

  const std::uint32_t* records;  ///< [32, kStride]

  AXELRAM_DEVICE void norms(float least, float (&values)[4]) const {
    const auto* const row =
        reinterpret_cast<const std::uint16_t*>(records + lane_index() * kStride);
    const float mine = std::fmax(norm_value(row[kDim * kBits / 16]), least);
    AXELRAM_UNROLL
    for (unsigned i = 0; i < 4; ++i) values[i] = shuffle(mine, 8 * i + lane_index() / 4);
  }

  /// For keys: the registers of signed centroid bytes.
  AXELRAM_DEVICE void expand(int unit, const CentroidBytes& table,
                             std::uint32_t (&bytes)[8]) const {
    constexpr int kTokens = 128 / kDim;  // of a unit, 8 apart
    constexpr int kGroups = 4 / kTokens;
    const int g = static_cast<int>(lane_index()) / 4, t = static_cast<int>(lane_index()) % 4;
    AXELRAM_UNROLL
    for (int i = 0; i < kTokens; ++i) {
      std::uint32_t selectors[kGroups];
      record_selectors<kBits>(records + (8 * (kTokens * unit + i) + g) * kStride, kGroups * t,
                              selectors);
      AXELRAM_UNROLL
      for (int c = 0; c < kGroups; ++c) {
        std::uint32_t eight[2];
        expand_eight<kBits>(selectors[c], table, eight);
        bytes[2 * (kGroups * i + c)] = eight[0];
        bytes[2 * (kGroups * i + c) + 1] = eight[1];
      }
    }
  }

  /// For values: dimensions d/8 * g and up of a token, four a register.
  AXELRAM_DEVICE void expand_value(int token, const CentroidBytes& table,
                                   std::uint32_t (&bytes)[kDim / 32]) const {
    constexpr int kGroups = kDim / 64;
    const int g = static_cast<int>(lane_index()) / 4;
    std::uint32_t selectors[kGroups];
    record_selectors<kBits>(records + token * kStride, kGroups * g, selectors);
    AXELRAM_UNROLL
    for (int c = 0; c < kGroups; ++c) {
      std::uint32_t eight[2];
      expand_eight<kBits>(selectors[c], table, eight);
      bytes[2 * c] = eight[0];
      bytes[2 * c + 1] = eight[1];
    }
  }
};

}  // namespace axelram::kernels
