#pragma once

#include <cstdint>

#include "axelram/kernels/codes.hpp"
#include "device/platform.cuh"

/// Golay(24,12), eight words at a time (bit-contract.md#golay24; references.md#ecc-kv-cache,
/// equations 31 and 33). Syndromes by one look-up per word in a table of 8 KB, best in shared
/// memory; errors by one more, only if a word has one, from device memory, where the table stays
/// in the cache.
///
/// Words are handled as twice their value, which makes the data bits the byte offset into a table
/// of 16-bit entries; so are those entries and syndromes.
namespace axelram::kernels {

struct GolayCoder {
  static constexpr int kCodewordBytes = 24;  ///< of eight words
  static constexpr int kDataBytes = 12;
  static constexpr int kCodewordRegisters = 6, kDataRegisters = 3;
  static constexpr int kTableBytes = 4096 * 2;
  static constexpr bool kDetects = true, kSlices = false;
  static constexpr std::uint32_t kData = 0x1FFE;  ///< of a doubled word

  const std::uint16_t* parity;  ///< CodeView::parity or its copy
  const std::uint16_t* errors;  ///< CodeView::errors

  using Words = std::uint32_t[8];

  /// Bits 1..24: the codewords; the others are undefined. Words from kWords on: 0.
  template <int kWords = 8>
  static AXELRAM_HD void split(const std::uint32_t (&r)[6], Words& doubled) {
    AXELRAM_UNROLL
    for (int j = kWords; j < 8; ++j) doubled[j] = 0;
    AXELRAM_UNROLL
    for (int i = 0; i < kWords / 4; ++i) {
      doubled[4 * i] = r[3 * i] << 1;
      doubled[4 * i + 1] = funnel_right(r[3 * i], r[3 * i + 1], 23);
      doubled[4 * i + 2] = funnel_right(r[3 * i + 1], r[3 * i + 2], 15);
      doubled[4 * i + 3] = r[3 * i + 2] >> 7;
    }
  }
  /// doubled: nothing but the codewords.
  static AXELRAM_HD void join(const Words& doubled, std::uint32_t (&r)[6]) {
    AXELRAM_UNROLL
    for (int i = 0; i < 2; ++i) {
      r[3 * i] = doubled[4 * i] >> 1 | doubled[4 * i + 1] << 23;
      r[3 * i + 1] = doubled[4 * i + 1] >> 9 | doubled[4 * i + 2] << 15;
      r[3 * i + 2] = doubled[4 * i + 2] >> 17 | doubled[4 * i + 3] << 7;
    }
  }
  /// doubled: nothing but the data. Sums of disjoint bits, as multiplications and additions are
  /// computed beside the logic.
  static AXELRAM_HD void pack_data(const Words& doubled, std::uint32_t (&r)[3]) {
    r[0] = (doubled[0] >> 1) + (doubled[1] << 11) + (doubled[2] << 23);
    r[1] = (doubled[2] >> 9) + (doubled[3] << 3) + (doubled[4] << 15) + (doubled[5] << 27);
    r[2] = (doubled[5] >> 5) + (doubled[6] << 7) + (doubled[7] << 19);
  }

  /// Check bits of a doubled word.
  AXELRAM_DEVICE std::uint32_t parity_of(std::uint32_t doubled) const {
    return *reinterpret_cast<const std::uint16_t*>(reinterpret_cast<const char*>(parity) +
                                                   (doubled & kData));
  }
  /// The entry of `errors` for a doubled syndrome.
  AXELRAM_DEVICE std::uint32_t error_of(std::uint32_t syndrome) const {
    return load(errors + (syndrome >> 1 & 0xFFFU));
  }

  /// Data of eight words. If one has an error, on_error(statuses) is called once: two bits each.
  /// kWords: 8, or 4 if the others are 0.
  template <int kWords = 8, class OnError>
  AXELRAM_DEVICE void decode(const std::uint32_t (&codewords)[6], std::uint32_t (&data)[3],
                             OnError on_error) const {
    Words words, s;
    split<kWords>(codewords, words);
    std::uint32_t any = 0;
    AXELRAM_UNROLL
    for (int j = 0; j < kWords; ++j) {
      s[j] = parity_of(words[j]) ^ words[j] >> 12;
      any |= s[j];
      words[j] &= kData;
    }
    if ((any & kData) != 0) {
      std::uint32_t statuses = 0;
      AXELRAM_UNROLL
      for (int j = 0; j < kWords; ++j) {
        const std::uint32_t error = error_of(s[j]);
        words[j] ^= error << 1 & kData;
        statuses |= error >> 12 << (2 * j);
      }
      on_error(statuses);
    }
    pack_data(words, data);
  }

  AXELRAM_DEVICE void encode(const std::uint32_t (&data)[3], std::uint32_t (&codewords)[6]) const {
    Words words = {data[0] << 1, data[0] >> 11, funnel_right(data[0], data[1], 23),
                   data[1] >> 3, data[1] >> 15, funnel_right(data[1], data[2], 27),
                   data[2] >> 7, data[2] >> 19};
    AXELRAM_UNROLL
    for (int j = 0; j < 8; ++j) words[j] = (words[j] & kData) | parity_of(words[j]) << 12;
    join(words, codewords);
  }

  /// Replaces what decoding corrects. Returns the statuses, 0 if nothing changed.
  AXELRAM_DEVICE std::uint32_t correct(std::uint32_t (&codewords)[6]) const {
    Words words, s;
    split(codewords, words);
    std::uint32_t any = 0;
    AXELRAM_UNROLL
    for (int j = 0; j < 8; ++j) {
      words[j] &= 0x1FFFFFEU;
      s[j] = parity_of(words[j]) ^ words[j] >> 12;
      any |= s[j];
    }
    if ((any & kData) == 0) return 0;
    std::uint32_t statuses = 0;
    AXELRAM_UNROLL
    for (int j = 0; j < 8; ++j) {
      const std::uint32_t error = error_of(s[j]);
      statuses |= error >> 12 << (2 * j);
      if (error >> 12 == static_cast<std::uint32_t>(WordStatus::corrected)) {
        const std::uint32_t data = (words[j] ^ error << 1) & kData;
        words[j] = data | parity_of(data) << 12;
      }
    }
    join(words, codewords);
    return statuses;
  }
};

}  // namespace axelram::kernels
