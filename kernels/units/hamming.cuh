#pragma once

#include <cstdint>

#include "device/platform.cuh"
#include "units/hamming_slices.cuh"
#include "units/status_counts.cuh"

/// Hamming(7,4) and Hamming(8,4), eight words at a time: nibble j of a register belongs to word j
/// (bit-contract.md#hamming74, bit-contract.md#hamming84). Every row of P has all check bits but
/// one: check bit j is the parity of the data without data bit 2 - j (bit 3 for j = 3), which is
/// what makes parity() short.
namespace axelram::kernels {

/// Bits 0 and 2 of every nibble change places.
AXELRAM_HD std::uint32_t swap_ends(std::uint32_t x) {
  return select_bits(0x55555555U, select_bits(0x44444444U, x << 2, x >> 2), x);
}

/// Bit 0 of every nibble: the parity; the other bits are 0.
AXELRAM_HD std::uint32_t nibble_parity(std::uint32_t x) {
  const std::uint32_t pairs = x ^ x >> 1;
  return (pairs ^ pairs >> 2) & 0x11111111U;
}

/// A 2-bit number in the lower half of every nibble, as 16 bits: word j's at bits 2j, 2j + 1.
AXELRAM_HD std::uint32_t pack_statuses(std::uint32_t nibbles) {
  std::uint32_t x = nibbles;
  x = (x | x >> 2) & 0x0F0F0F0FU;
  x = (x | x >> 4) & 0x00FF00FFU;
  return (x | x >> 8) & 0xFFFFU;
}

/// The sum of the eight nibbles.
AXELRAM_HD std::uint32_t sum_of_nibbles(std::uint32_t x) {
  return ((x & 0x0F0F0F0FU) + (x >> 4 & 0x0F0F0F0FU)) * 0x01010101U >> 24;
}

/// Counts of words with an error, in nibbles: of up to 15 groups of eight words.
struct WordTally {
  std::uint32_t any = 0, parity_only = 0, detected = 0;
};

template <int kBits>  // of a codeword: 7 or 8
struct HammingCoder {
  static constexpr int kCodewordBytes = kBits;  ///< of eight words
  static constexpr int kDataBytes = 4;
  static constexpr int kCodewordRegisters = 2, kDataRegisters = 1;
  static constexpr int kTableBytes = 0;
  static constexpr bool kDetects = kBits == 8;
  static constexpr bool kSlices = true;  ///< decode_slices() takes 32 words
  static constexpr std::uint32_t kChecks = kBits == 8 ? 0xFFFFFFFFU : 0x77777777U;

  struct Nibbles {
    std::uint32_t data, check;
  };

  /// Four codewords as bytes, from bit 4 * kBits * number on of `codewords`; bit 7 of 7-bit ones is
  /// undefined.
  template <int kRegisters>
  static AXELRAM_HD std::uint32_t bytes_of(const std::uint32_t (&codewords)[kRegisters],
                                           int number) {
    if constexpr (kBits == 8) return codewords[number];
    const int bit = 28 * number, word = bit / 32;
    const std::uint32_t packed =
        word + 1 < kRegisters
            ? funnel_right(codewords[word], codewords[word + 1], static_cast<unsigned>(bit % 32))
            : codewords[word] >> bit % 32;
    const std::uint32_t halves = select_bits(0x3FFFU, packed, packed << 2);
    return select_bits(0x007F007FU, halves, halves << 1);
  }
  static AXELRAM_HD void from_bytes(const std::uint32_t (&bytes)[2],
                                    std::uint32_t (&codewords)[2]) {
    codewords[0] = bytes[0];
    codewords[1] = bytes[1];
    if constexpr (kBits == 7) {
      std::uint32_t packed[2];
      AXELRAM_UNROLL
      for (int i = 0; i < 2; ++i) {
        const std::uint32_t halves = select_bits(0x007F007FU, bytes[i], bytes[i] >> 1);
        packed[i] = select_bits(0x3FFFU, halves, halves >> 2) & 0x0FFFFFFFU;
      }
      codewords[0] = packed[0] | packed[1] << 28;
      codewords[1] = packed[1] >> 4;
    }
  }

  static AXELRAM_HD Nibbles split(const std::uint32_t (&codewords)[2]) {
    const std::uint32_t x[2] = {bytes_of(codewords, 0), bytes_of(codewords, 1)};
    constexpr std::uint32_t kLow = 0x0F0F0F0FU;
    const std::uint32_t data = permute_bytes(select_bits(kLow, x[0], x[0] >> 4),
                                             select_bits(kLow, x[1], x[1] >> 4), 0x6420U);
    const std::uint32_t check = permute_bytes(select_bits(~kLow, x[0], x[0] << 4),
                                              select_bits(~kLow, x[1], x[1] << 4), 0x7531U);
    return {data, check & kChecks};
  }
  static AXELRAM_HD void join(const Nibbles& words, std::uint32_t (&codewords)[2]) {
    std::uint32_t bytes[2];
    AXELRAM_UNROLL
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t select = i == 0 ? 0x1100U : 0x3322U;  // each byte, two words, twice
      const std::uint32_t data = permute_bytes(words.data, 0, select);
      const std::uint32_t check = permute_bytes(words.check, 0, select);
      bytes[i] = select_bits(0x0F0F0F0FU, select_bits(0x000F000FU, data, data >> 4),
                             select_bits(0x00F000F0U, check << 4, check));
    }
    from_bytes(bytes, codewords);
  }

  static AXELRAM_HD std::uint32_t parity(std::uint32_t data) {
    return (nibble_parity(data) * 15U ^ swap_ends(data)) & kChecks;
  }
  /// Bits 0 and 2 of a syndrome in exchanged places: bit j is then 0 for an error of data bit j
  /// alone, and the others are 1.
  static AXELRAM_HD std::uint32_t syndrome(const Nibbles& words) {
    return (nibble_parity(words.data) * 15U ^ words.data ^ swap_ends(words.check)) & kChecks;
  }

  /// Bit 0 of every nibble: what the syndrome of the word says, the other bits 0.
  struct Errors {
    std::uint32_t any;          ///< it is not 0
    std::uint32_t parity_only;  ///< the overall parity bit alone; 0 of Hamming(7,4)
    std::uint32_t detected;     ///< an even number of ones; 0 of Hamming(7,4)
    std::uint32_t data;         ///< to be XORed onto the data: whole nibbles
  };
  /// Syndromes of data bits have three ones, of Hamming(7,4) two or three; those of check bits one.
  static AXELRAM_HD Errors errors(std::uint32_t s) {
    constexpr std::uint32_t kBit = 0x11111111U;
    Errors found{};
    const std::uint32_t second = s >> 1;
    if constexpr (kBits == 7) {
      const std::uint32_t third = s >> 2;
      found.any = (s | second | third) & kBit;
      const std::uint32_t two = ((s & second) | (s & third) | (second & third)) & kBit;
      const std::uint32_t all = s & second & third & kBit;
      found.data = (two * 7U & ~s) + all * 8U;
    } else {
      const std::uint32_t one = s ^ second, some = s | second, both = s & second;
      const std::uint32_t odd = (one ^ one >> 2) & kBit;
      found.any = (some | some >> 2) & kBit;
      const std::uint32_t three = (both | both >> 2) & odd;
      found.parity_only = s >> 3 & odd & ~three;
      found.detected = found.any & ~odd;
      found.data = three * 15U & ~s;
    }
    return found;
  }
  /// Statuses, two bits each, of eight words.
  static AXELRAM_HD std::uint32_t statuses(const Errors& found) {
    const std::uint32_t corrected = found.any & ~found.parity_only;
    return pack_statuses(corrected | (found.parity_only | found.detected) << 1);
  }

  /// Data of eight words. If one has an error, on_error(statuses) is called once: two bits each.
  template <class OnError>
  AXELRAM_HD void decode(const std::uint32_t (&codewords)[2], std::uint32_t (&data)[1],
                         OnError on_error) const {
    const Nibbles words = split(codewords);
    data[0] = words.data;
    const std::uint32_t s = syndrome(words);
    if (s == 0) return;
    const Errors found = errors(s);
    data[0] ^= found.data;
    on_error(statuses(found));
  }

  /// The same without a branch: errors are counted, and statuses returned only if a word is
  /// uncorrectable; otherwise 0.
  AXELRAM_HD std::uint32_t decode(const std::uint32_t (&codewords)[2], std::uint32_t (&data)[1],
                                  WordTally* tally) const {
    const Nibbles words = split(codewords);
    const Errors found = errors(syndrome(words));
    data[0] = words.data ^ found.data;
    tally->any += found.any;
    if constexpr (kBits == 7) return 0;
    tally->parity_only += found.parity_only;
    tally->detected += found.detected;
    return found.detected == 0 ? 0U : statuses(found);
  }

  /// Data of 32 words. Counts errors; returns whether a word is uncorrectable.
  static AXELRAM_HD bool decode_slices(const std::uint32_t (&codewords)[kBits],
                                       std::uint32_t (&data)[4], StatusCounts* counts) {
    std::uint32_t bytes[8];
    AXELRAM_UNROLL
    for (int i = 0; i < 8; ++i) bytes[i] = bytes_of(codewords, i);
    HammingSlices<kBits> slices(bytes);
    const auto found = slices.correct();
    slices.join(data);
    const auto ones = [](std::uint32_t x) { return static_cast<std::uint32_t>(count_ones(x)); };
    if constexpr (kBits == 8) {
      counts->parity_only += ones(found.parity_only);
      counts->detected += ones(found.detected);
    }
    counts->corrected += ones(found.any & ~found.parity_only & ~found.detected);
    return found.detected != 0;
  }

  AXELRAM_HD void encode(const std::uint32_t (&data)[1], std::uint32_t (&codewords)[2]) const {
    join({data[0], parity(data[0])}, codewords);
  }

  /// Replaces what decoding corrects. Returns the statuses, 0 if nothing changed.
  AXELRAM_HD std::uint32_t correct(std::uint32_t (&codewords)[2]) const {
    Nibbles words = split(codewords);
    const std::uint32_t s = syndrome(words);
    if (s == 0) return 0;
    const Errors found = errors(s);
    words.data ^= found.data;
    words.check = select_bits(found.detected * 15U, words.check, parity(words.data));
    join(words, codewords);
    return statuses(found);
  }
};

}  // namespace axelram::kernels
