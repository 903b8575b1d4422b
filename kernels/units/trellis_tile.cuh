#pragma once

#include <cstdint>

#include "device/platform.cuh"
#include "units/tile.cuh"

/// Levels of a trellis (bit-contract.md#trellis) in the registers of a warp that holds a tile. A
/// level depends on its index and on the lowest bits of indices up to four dimensions before it in
/// the same token. All lanes of a warp call these functions together.
///
/// The lowest bits of a unit are packed into one word: bit c of nibble n is that of index 8c + n.
namespace axelram::kernels {

/// The lowest bits of the 32 indices of a unit.
template <int kBits>
AXELRAM_HD std::uint32_t lowest_bits(const std::uint32_t (&w)[kBits]) {
  constexpr std::uint32_t kFirst = 0x11111111;
  if constexpr (kBits == 1)
    return w[0];
  else if constexpr (kBits == 2)
    return (w[0] & kFirst) | (w[0] >> 1 & (kFirst << 1)) | (w[1] << 2 & (kFirst << 2)) |
           (w[1] << 1 & (kFirst << 3));
  else if constexpr (kBits == 3)
    return (w[0] & (kFirst | kFirst << 3)) | (w[1] & kFirst) << 1 | (w[2] & kFirst) << 2;
  else
    return (w[0] & kFirst) | (w[1] & kFirst) << 1 | (w[2] & kFirst) << 2 | (w[3] & kFirst) << 3;
}

/// Words `unit * kBits` and up of a payload.
template <int kBits, int kWords>
AXELRAM_HD void unit_words(const std::uint32_t (&payload)[kWords], int unit,
                           std::uint32_t (&w)[kBits]) {
  AXELRAM_UNROLL
  for (int i = 0; i < kBits; ++i) w[i] = payload[unit * kBits + i];
}
template <int kBits, int kWords>
AXELRAM_HD std::uint32_t unit_lowest_bits(const std::uint32_t (&payload)[kWords], int unit) {
  std::uint32_t w[kBits];
  unit_words<kBits>(payload, unit, w);
  return lowest_bits<kBits>(w);
}

/// The lowest bits of a unit of keys and of the dimensions before. A lane holds runs of kDim / 4
/// dimensions; those before a run are the last ones of the lane before.
template <int kDim, int kBits>
struct EarlierKeyBits {
  std::uint32_t own, eight_before;  ///< packed; the second from 8 dimensions before

  template <int kWords>
  AXELRAM_DEVICE EarlierKeyBits(const std::uint32_t (&payload)[kWords], int unit)
      : own(unit_lowest_bits<kBits>(payload, unit)) {
    constexpr int kGroups = kDim / 32 < 4 ? kDim / 32 : 4;  // of 8 indices, of a run in a unit
    constexpr std::uint32_t kStarts = kGroups == 1   ? 0xFFFFFFFF
                                      : kGroups == 2 ? 0x55555555
                                                     : 0x11111111;
    const std::uint32_t before = before_run(payload, unit) >> (kGroups - 1);
    eight_before = (own << 1 & ~kStarts) | (before & kStarts);
  }

  /// Those of 1..4 dimensions before.
  AXELRAM_DEVICE std::uint32_t operator()(std::int32_t dims) const {
    return funnel_right(eight_before, own, static_cast<unsigned>(32 - 4 * dims));
  }

 private:
  /// The packed bits of the unit that ends where this one's runs begin; 0 at dimension 0.
  template <int kWords>
  AXELRAM_DEVICE std::uint32_t before_run(const std::uint32_t (&payload)[kWords], int unit) const {
    std::uint32_t last = own;
    if constexpr (kDim == 256) {  // a run is two units
      if (unit % 2 == 1) return unit_lowest_bits<kBits>(payload, unit - 1);
      last = unit_lowest_bits<kBits>(payload, unit + 1);
    }
    const std::uint32_t before = shuffle(last, (lane_index() - 1) & 31U);
    return lane_index() % 4 == 0 ? 0 : before;
  }
};

/// The same for values: 8 dimensions of a token lie in lanes four apart, the next 8 in the next
/// group of the payload.
template <int kBits>
struct EarlierValueBits {
  std::uint32_t own, eight_before;

  template <int kWords>
  AXELRAM_DEVICE EarlierValueBits(const std::uint32_t (&payload)[kWords], int unit)
      : own(unit_lowest_bits<kBits>(payload, unit)), eight_before(own << 1 & 0xEEEEEEEE) {
    if (unit > 0) eight_before |= unit_lowest_bits<kBits>(payload, unit - 1) >> 3 & 0x11111111;
  }

  /// A lane reads from the lane of `dims` dimensions before, which hands out its group before if
  /// the reader's dimensions are beyond a multiple of 8.
  AXELRAM_DEVICE std::uint32_t operator()(std::int32_t dims) const {
    const auto lanes = 4 * static_cast<unsigned>(dims);
    const bool crosses = lane_index() + lanes >= 32;
    return shuffle(crosses ? eight_before : own, (lane_index() - lanes) & 31U);
  }
};

/// The level bytes of 8 indices, one a nibble, in order. z: 2 * z1 + z0 of each, one a nibble.
template <int kBits>
AXELRAM_HD void expand_eight_levels(std::uint32_t indices, std::uint32_t z,
                                    const CentroidBytes& table, std::uint32_t (&bytes)[2]) {
  const std::uint32_t low_bits = (indices << 1 & 0x44444444) | z;
  // Byte i of the half of the levels, or of its halves, that a bit of the index names.
  constexpr std::uint32_t kLower = 0x32103210;
  const std::uint32_t half = (indices & 0x44444444) | kLower;
  const std::uint32_t outer_half = (indices >> 1 & 0x44444444) | kLower;
  AXELRAM_UNROLL
  for (int h = 0; h < 2; ++h) {
    const int first = 16 * h;
    constexpr int kEights = kBits < 2 ? 1 : 1 << (kBits - 2);
    std::uint32_t of_eight[kEights];
    AXELRAM_UNROLL
    for (int i = 0; i < kEights; ++i)
      of_eight[i] = permute_bytes(table.words[2 * i], table.words[2 * i + 1], low_bits >> first);
    if constexpr (kBits <= 2) {
      bytes[h] = of_eight[0];
    } else if constexpr (kBits == 3) {
      bytes[h] = permute_bytes(of_eight[0], of_eight[1], half >> first);
    } else {
      bytes[h] = permute_bytes(permute_bytes(of_eight[0], of_eight[1], half >> first),
                               permute_bytes(of_eight[2], of_eight[3], half >> first),
                               outer_half >> first);
    }
  }
}

/// The level bytes of the 32 indices of a unit, in order, four a register.
template <int kBits, class EarlierBits, int kWords>
AXELRAM_DEVICE void expand_levels(const std::uint32_t (&payload)[kWords], int unit,
                                  const CentroidBytes& table, std::uint32_t (&bytes)[8]) {
  const EarlierBits earlier(payload, unit);
  const TrellisTaps& taps = table.taps;
  const std::uint32_t z0 = earlier(taps.z0);
  const std::uint32_t z1 =
      earlier.own ^ earlier(taps.z1) ^ (earlier(taps.z1_last) & taps.z1_last_mask);
  std::uint32_t w[kBits], selectors[4];
  unit_words<kBits>(payload, unit, w);
  unit_selectors<kBits>(w, selectors);
  AXELRAM_UNROLL
  for (int c = 0; c < 4; ++c) {
    std::uint32_t eight[2];
    const std::uint32_t z = (z1 >> c & 0x11111111) << 1 | (z0 >> c & 0x11111111);
    expand_eight_levels<kBits>(selectors[c], z, table, eight);
    bytes[2 * c] = eight[0];
    bytes[2 * c + 1] = eight[1];
  }
}

}  // namespace axelram::kernels
