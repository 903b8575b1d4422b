#pragma once

#include <cstdint>

#include "device/platform.cuh"

/// Hamming(7,4) and Hamming(8,4), 32 words at a time (bit-contract.md#hamming74,
/// bit-contract.md#hamming84): a register has one bit of each word, so that an instruction serves
/// them all. Some 100 instructions, of which a quarter decodes and the others move bits.
namespace axelram::kernels {

/// Bit i of nibble n of x[k] and bit k of nibble n of x[i] change places.
AXELRAM_HD void transpose_nibbles(std::uint32_t (&x)[4]) {
  AXELRAM_UNROLL
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t low = x[i], high = x[i + 2];
    x[i] = select_bits(0x33333333U, low, high << 2);
    x[i + 2] = select_bits(0x33333333U, low >> 2, high);
  }
  AXELRAM_UNROLL
  for (int i = 0; i < 4; i += 2) {
    const std::uint32_t low = x[i], high = x[i + 1];
    x[i] = select_bits(0x55555555U, low, high << 1);
    x[i + 1] = select_bits(0x55555555U, low >> 1, high);
  }
}

template <int kBits>  // of a codeword: 7 or 8
struct HammingSlices {
  std::uint32_t data[4];   ///< bit g of nibble j of data[i]: data bit i of word 8g + j
  std::uint32_t check[4];  ///< check bits likewise; check[3] is undefined with 7 bits

  /// Words with an error, a bit each as in the slices.
  struct Errors {
    std::uint32_t any, parity_only, detected;  ///< as in HammingCoder::Errors
  };

  /// Codewords 4k .. 4k + 3 in the bytes of bytes[k]; bit 7 is undefined with 7 bits.
  explicit AXELRAM_HD HammingSlices(const std::uint32_t (&bytes)[8]) {
    constexpr std::uint32_t kLow = 0x0F0F0F0FU;
    AXELRAM_UNROLL
    for (int g = 0; g < 4; ++g) {
      const std::uint32_t even = permute_bytes(bytes[2 * g], bytes[2 * g + 1], 0x6420U);
      const std::uint32_t odd = permute_bytes(bytes[2 * g], bytes[2 * g + 1], 0x7531U);
      data[g] = select_bits(kLow, even, odd << 4);
      check[g] = select_bits(kLow, even >> 4, odd);
    }
    transpose_nibbles(data);
    transpose_nibbles(check);
  }

  /// Corrects the data. Check bit j is the parity of the data without data bit 2 - j, or without
  /// bit 3 for j = 3: an error of a data bit leaves one bit of the syndrome at 0.
  AXELRAM_HD Errors correct() {
    const auto& d = data;
    const std::uint32_t s0 = check[0] ^ d[0] ^ d[1] ^ d[3];
    const std::uint32_t s1 = check[1] ^ d[0] ^ d[2] ^ d[3];
    const std::uint32_t s2 = check[2] ^ d[1] ^ d[2] ^ d[3];
    std::uint32_t two[3] = {s0 & s1 & ~s2, s0 & ~s1 & s2, ~s0 & s1 & s2};  // d0, d1, d2
    std::uint32_t all = s0 & s1 & s2;
    Errors found{s0 | s1 | s2, 0, 0};
    if constexpr (kBits == 8) {
      const std::uint32_t s3 = check[3] ^ d[0] ^ d[1] ^ d[2];
      found.parity_only = s3 & ~found.any;
      found.any |= s3;
      found.detected = found.any & ~(s0 ^ s1 ^ s2 ^ s3);
      AXELRAM_UNROLL
      for (int i = 0; i < 3; ++i) two[i] &= s3;
      all &= ~s3;
    }
    AXELRAM_UNROLL
    for (int i = 0; i < 3; ++i) data[i] ^= two[i];
    data[3] ^= all;
    return found;
  }

  /// Data of 32 words, four bits each, in order. The slices are used up.
  AXELRAM_HD void join(std::uint32_t (&joined)[4]) {
    transpose_nibbles(data);
    AXELRAM_UNROLL
    for (int g = 0; g < 4; ++g) joined[g] = data[g];
  }
};

}  // namespace axelram::kernels
