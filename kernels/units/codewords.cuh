#pragma once

#include <cstdint>

#include "device/platform.cuh"
#include "units/golay.cuh"
#include "units/hamming.cuh"
#include "units/status_counts.cuh"

/// Strings of codewords in shared memory, in groups of eight words: of any code, eight codewords
/// are n whole bytes and their data k, so that groups lie at whole bytes of both strings and
/// threads need not share any. Strings may begin at any byte.
namespace axelram::kernels {

/// r: the bytes from `byte` on of an array of words, of which the word after the last is read too.
template <int kRegisters>
AXELRAM_HD void read_bytes(const std::uint32_t* words, unsigned byte,
                           std::uint32_t (&r)[kRegisters]) {
  const std::uint32_t* const from = words + (byte >> 2);
  const unsigned shift = 8 * (byte & 3U);
  std::uint32_t low = from[0];
  AXELRAM_UNROLL
  for (int i = 0; i < kRegisters; ++i) {
    const std::uint32_t high = from[i + 1];
    r[i] = funnel_right(low, high, shift);
    low = high;
  }
}

/// `bytes` bytes of r. alignment: 4, 2 or 1, which divides the address; the same in all lanes.
template <int kRegisters>
AXELRAM_HD void write_bytes(std::uint8_t* to, int bytes, int alignment,
                            const std::uint32_t (&r)[kRegisters]) {
  const bool whole = bytes == 4 * kRegisters;
  if (whole && alignment == 4) {
    AXELRAM_UNROLL
    for (int i = 0; i < kRegisters; ++i) reinterpret_cast<std::uint32_t*>(to)[i] = r[i];
  } else if (whole && alignment == 2) {
    AXELRAM_UNROLL
    for (int i = 0; i < 2 * kRegisters; ++i)
      reinterpret_cast<std::uint16_t*>(to)[i] =
          static_cast<std::uint16_t>(r[i / 2] >> (i % 2 * 16));
  } else {
    AXELRAM_UNROLL
    for (int i = 0; i < 4 * kRegisters; ++i)
      if (i < bytes) to[i] = static_cast<std::uint8_t>(r[i / 4] >> (i % 4 * 8));
  }
}

/// The lower min(count, 32) bits; 0 if count < 0.
AXELRAM_HD constexpr std::uint32_t low_bits(int count) {
  return count >= 32 ? 0xFFFFFFFFU : count <= 0 ? 0U : (1U << count) - 1;
}
template <int kRegisters>
AXELRAM_HD void keep_bits(std::uint32_t (&r)[kRegisters], int count) {
  if (count >= 32 * kRegisters) return;
  AXELRAM_UNROLL
  for (int i = 0; i < kRegisters; ++i) r[i] &= low_bits(count - 32 * i);
}

/// Adds a tally and clears it.
AXELRAM_HD void add_tally(WordTally* tally, StatusCounts* counts) {
  const std::uint32_t others = sum_of_nibbles(tally->parity_only) + sum_of_nibbles(tally->detected);
  counts->corrected += sum_of_nibbles(tally->any) - others;
  counts->parity_only += sum_of_nibbles(tally->parity_only);
  counts->detected += sum_of_nibbles(tally->detected);
  *tally = {};
}

/// Bytes of shared memory, from `byte` on of an array of words.
struct SharedBytes {
  std::uint32_t* words;
  unsigned byte;
  AXELRAM_HD std::uint8_t* address() const { return reinterpret_cast<std::uint8_t*>(words) + byte; }
};

/// The coder of a block. All threads fill its table in shared memory, kTableBytes at `table`;
/// sync_block() must follow.
template <class Coder>
AXELRAM_DEVICE Coder coder_of_block(const CodeView& code, std::uint32_t* table) {
  if constexpr (Coder::kTableBytes > 0) {
    const auto* const from = reinterpret_cast<const Words4*>(code.parity);
    for (unsigned i = thread_index(); i < Coder::kTableBytes / 16; i += block_threads())
      store_vector(reinterpret_cast<Words4*>(table) + i, load(from + i));
    return Coder{reinterpret_cast<const std::uint16_t*>(table), code.errors};
  } else {
    return Coder{};
  }
}

/// A coder that fetches the codewords of a tile in pairs of 32-bit words, so that they must lie at
/// multiples of 8 bytes; other coders take multiples of 4.
template <class Coder>
inline constexpr bool kFetchesPairs = Coder::kCodewordRegisters > 2;

/// Groups by a coder whose eight words fit registers: HammingCoder, GolayCoder.
template <class Coder>
struct RegisterGroups {
  Coder coder;

  static AXELRAM_DEVICE RegisterGroups of_block(const CodeView& code, std::uint32_t* table) {
    return {coder_of_block<Coder>(code, table)};
  }
  static AXELRAM_HD int codeword_bytes() { return Coder::kCodewordBytes; }
  static AXELRAM_HD int data_bytes() { return Coder::kDataBytes; }
  static constexpr int kTableBytes = Coder::kTableBytes;

  /// Decodes a group of `words` codewords, 1..8, whose data are `bits` bits, into ceil(bits/8)
  /// bytes with zeros beyond. Returns the statuses.
  AXELRAM_DEVICE std::uint32_t decode(const SharedBytes& from, int words, int bits,
                                      const SharedBytes& to, int alignment) const {
    std::uint32_t codewords[Coder::kCodewordRegisters], data[Coder::kDataRegisters];
    read_bytes(from.words, from.byte, codewords);
    keep_bits(codewords, words * Coder::kCodewordBytes);
    std::uint32_t statuses = 0;
    coder.decode(codewords, data, [&](std::uint32_t found) { statuses = found; });
    keep_bits(data, bits);
    write_bytes(to.address(), bits >= 8 * Coder::kDataBytes ? Coder::kDataBytes : (bits + 7) / 8,
                alignment, data);
    return statuses;
  }

  /// Codes `bits` bits, those of 1..8 words, into the bytes of that many codewords, zeros beyond.
  AXELRAM_DEVICE void encode(const SharedBytes& from, int words, int bits, const SharedBytes& to,
                             int alignment) const {
    std::uint32_t data[Coder::kDataRegisters], codewords[Coder::kCodewordRegisters];
    read_bytes(from.words, from.byte, data);
    keep_bits(data, bits);
    coder.encode(data, codewords);
    write_bytes(to.address(), (words * Coder::kCodewordBytes + 7) / 8, alignment, codewords);
  }

  /// Replaces what decoding corrects among 1..8 codewords in the string from `to` on, which `from`
  /// is a copy of. Returns the statuses.
  AXELRAM_DEVICE std::uint32_t correct(const SharedBytes& from, int words, std::uint8_t* to) const {
    std::uint32_t codewords[Coder::kCodewordRegisters], beyond[Coder::kCodewordRegisters];
    read_bytes(from.words, from.byte, codewords);
    const int bits = words * Coder::kCodewordBytes;
    AXELRAM_UNROLL
    for (int i = 0; i < Coder::kCodewordRegisters; ++i)
      beyond[i] = codewords[i] & ~low_bits(bits - 32 * i);
    keep_bits(codewords, bits);
    const std::uint32_t statuses = coder.correct(codewords);
    if (statuses == 0) return 0;
    AXELRAM_UNROLL
    for (int i = 0; i < Coder::kCodewordRegisters; ++i) codewords[i] |= beyond[i];
    write_bytes(to, (bits + 7) / 8, 1, codewords);
    return statuses;
  }
};

}  // namespace axelram::kernels
