#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// The record's bits of 16 neighbouring indices, index i at bits i * b, in b pieces of 16 bits.
/// centered: index - (2^b - 1) / 2. Sums are formed in FP32, at most 24 bits at a time: exact.
template <int kBits>
AXELRAM_HD void pack_indices(const float (&centered)[16], std::uint32_t (&pieces)[kBits]) {
  constexpr int kGroup = kBits == 4 ? 4 : 8;
  constexpr float kLevels = 1 << kBits;
  // The sum of (2^b - 1) / 2 * 2^(bi) over a group.
  constexpr float kOffset = static_cast<float>((1U << (kBits * kGroup)) - 1) / 2;
  std::uint32_t groups[16 / kGroup];
  AXELRAM_UNROLL
  for (int g = 0; g < 16 / kGroup; ++g) {
    float sum = centered[kGroup * g + kGroup - 1];
    AXELRAM_UNROLL
    for (int i = kGroup - 2; i >= 0; --i)
      sum = multiply_add(sum, kLevels, centered[kGroup * g + i]);
    groups[g] = static_cast<std::uint32_t>(static_cast<std::int32_t>(sum + kOffset));
  }
  if constexpr (kBits == 3) {
    pieces[0] = groups[0] & 0xFFFFU;
    pieces[1] = groups[0] >> 16 | (groups[1] & 0xFFU) << 8;
    pieces[2] = groups[1] >> 8;
  } else {
    AXELRAM_UNROLL
    for (int g = 0; g < kBits; ++g) pieces[g] = groups[g];
  }
}

/// Four of those indices as bytes, first index i (a multiple of 4).
template <int kBits>
AXELRAM_HD std::uint32_t unpack_four(const std::uint32_t (&pieces)[kBits], int i) {
  std::uint32_t bytes = 0;
  AXELRAM_UNROLL
  for (int k = 0; k < 4; ++k) {
    const int bit = (i + k) * kBits, piece = bit / 16;
    const std::uint32_t next = piece + 1 < kBits ? pieces[piece + 1 < kBits ? piece + 1 : 0] : 0;
    const std::uint32_t index = (pieces[piece] | next << 16) >> (bit % 16) & ((1U << kBits) - 1);
    bytes |= index << (8 * k);
  }
  return bytes;
}

/// The record's bits of 8 neighbouring indices, given as bytes: 8 b bits.
AXELRAM_HD std::uint32_t pack_eight(const std::uint8_t* indices, int index_bits) {
  std::uint32_t bits = 0;
  for (int i = 0; i < 8; ++i) bits |= std::uint32_t{indices[i]} << (i * index_bits);
  return bits;
}

}  // namespace axelram::kernels
