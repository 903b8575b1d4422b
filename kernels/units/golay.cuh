#pragma once

#include <cstdint>

#include "axelram/kernels/codes.hpp"
#include "platform.cuh"

/// Golay(24,12), eight words at a time (ECC paper, equations 31 and 33). Syndromes by one look-up
/// per word in a table of 8 KB, best in shared memory; errors by one more, only for a word that has
/// one, from device memory, where the table stays in the cache.
namespace axelram::kernels {

struct GolayCoder {
  static constexpr int kCodewordBytes = 24;  ///< of eight words
  static constexpr int kDataBytes = 12;
  static constexpr int kCodewordRegisters = 6, kDataRegisters = 3;
  static constexpr int kTableBytes = 4096 * 2;

  const std::uint16_t* parity;  ///< [4096], CodeView::parity or its copy
  const std::uint16_t* errors;  ///< CodeView::errors

  using Words = std::uint32_t[8];

  /// Lower 24 bits: the codewords; above them undefined.
  static AXELRAM_HD void split(const std::uint32_t (&r)[6], Words& words) {
    AXELRAM_UNROLL
    for (int i = 0; i < 2; ++i) {
      words[4 * i] = r[3 * i];
      words[4 * i + 1] = funnel_right(r[3 * i], r[3 * i + 1], 24);
      words[4 * i + 2] = funnel_right(r[3 * i + 1], r[3 * i + 2], 16);
      words[4 * i + 3] = r[3 * i + 2] >> 8;
    }
  }
  static AXELRAM_HD void join(const Words& words, std::uint32_t (&r)[6]) {
    AXELRAM_UNROLL
    for (int i = 0; i < 2; ++i) {
      r[3 * i] = words[4 * i] | words[4 * i + 1] << 24;
      r[3 * i + 1] = words[4 * i + 1] >> 8 | words[4 * i + 2] << 16;
      r[3 * i + 2] = words[4 * i + 2] >> 16 | words[4 * i + 3] << 8;
    }
  }
  static AXELRAM_HD void pack_data(const Words& data, std::uint32_t (&r)[3]) {
    r[0] = data[0] | data[1] << 12 | data[2] << 24;
    r[1] = data[2] >> 8 | data[3] << 4 | data[4] << 16 | data[5] << 28;
    r[2] = data[5] >> 4 | data[6] << 8 | data[7] << 20;
  }

  /// Of the lower 24 bits of a word.
  AXELRAM_DEVICE std::uint32_t syndrome(std::uint32_t word) const {
    return (parity[word & 0xFFFU] ^ word >> 12) & 0xFFFU;
  }

  /// Data of eight words, and their statuses, two bits each.
  AXELRAM_DEVICE std::uint32_t decode(const std::uint32_t (&codewords)[6],
                                      std::uint32_t (&data)[3]) const {
    Words words, s;
    split(codewords, words);
    std::uint32_t any = 0;
    AXELRAM_UNROLL
    for (int j = 0; j < 8; ++j) {
      s[j] = syndrome(words[j]);
      words[j] &= 0xFFFU;
      any |= s[j];
    }
    std::uint32_t statuses = 0;
    if (any != 0) {
      AXELRAM_UNROLL
      for (int j = 0; j < 8; ++j) {
        const std::uint32_t error = load(errors + s[j]);
        words[j] ^= error & 0xFFFU;
        statuses |= error >> 12 << (2 * j);
      }
    }
    pack_data(words, data);
    return statuses;
  }

  AXELRAM_DEVICE void encode(const std::uint32_t (&data)[3], std::uint32_t (&codewords)[6]) const {
    Words words = {data[0],      data[0] >> 12, funnel_right(data[0], data[1], 24),
                   data[1] >> 4, data[1] >> 16, funnel_right(data[1], data[2], 28),
                   data[2] >> 8, data[2] >> 20};
    AXELRAM_UNROLL
    for (int j = 0; j < 8; ++j) {
      words[j] &= 0xFFFU;
      words[j] |= static_cast<std::uint32_t>(parity[words[j]]) << 12;
    }
    join(words, codewords);
  }

  /// Replaces what decoding corrects. Returns the statuses, 0 where nothing changed.
  AXELRAM_DEVICE std::uint32_t correct(std::uint32_t (&codewords)[6]) const {
    Words words;
    split(codewords, words);
    std::uint32_t statuses = 0;
    AXELRAM_UNROLL
    for (int j = 0; j < 8; ++j) {
      words[j] &= 0xFFFFFFU;
      const std::uint32_t s = syndrome(words[j]);
      if (s == 0) continue;
      const std::uint32_t error = load(errors + s);
      statuses |= error >> 12 << (2 * j);
      if (error >> 12 == static_cast<std::uint32_t>(WordStatus::corrected)) {
        const std::uint32_t data = (words[j] ^ error) & 0xFFFU;
        words[j] = data | static_cast<std::uint32_t>(parity[data]) << 12;
      }
    }
    join(words, codewords);
    return statuses;
  }
};

}  // namespace axelram::kernels
