#pragma once

#include <cstdint>

#include "axelram/kernels/codes.hpp"
#include "device/platform.cuh"
#include "units/codewords.cuh"

namespace axelram::kernels {

/// `count` bits, 0..64, from bit `bit` on of an array of words; the word after the last is read.
AXELRAM_HD std::uint64_t read_bits(const std::uint32_t* words, unsigned bit, int count) {
  const std::uint32_t* const from = words + (bit >> 5);
  const std::uint32_t middle = from[1];
  const std::uint64_t value =
      std::uint64_t{funnel_right(middle, count > 32 ? from[2] : 0U, bit & 31U)} << 32 |
      funnel_right(from[0], middle, bit & 31U);
  return count >= 64 ? value : value & ((std::uint64_t{1} << count) - 1);
}

/// Bits one after the other into bytes from `to` on, which no other thread writes.
struct BitWriter {
  std::uint8_t* to;
  std::uint32_t pending = 0;
  int bits = 0;

  /// count <= 64.
  AXELRAM_HD void put(std::uint64_t value, int count) {
    for (; count > 0; count -= 8, value >>= 8) {
      const int now = count < 8 ? count : 8;
      pending |= (static_cast<std::uint32_t>(value) & low_bits(now)) << bits;
      bits += now;
      if (bits < 8) continue;
      *to++ = static_cast<std::uint8_t>(pending);
      pending >>= 8;
      bits -= 8;
    }
  }
  AXELRAM_HD void finish() const {
    if (bits > 0) *to = static_cast<std::uint8_t>(pending);
  }
};

/// Any code, word by word by golden's tables: CodeKernel::table. The same interface as
/// RegisterGroups.
struct TableGroups {
  CodeView code;

  static constexpr int kTableBytes = 0;
  static AXELRAM_DEVICE TableGroups of_block(const CodeView& code, std::uint32_t*) {
    return {code};
  }
  AXELRAM_HD int codeword_bytes() const { return code.n; }
  AXELRAM_HD int data_bytes() const { return code.k; }

  AXELRAM_DEVICE std::uint32_t check_bits(std::uint64_t data) const {
    std::uint32_t check = 0;
    for (int byte = 0; 8 * byte < code.k; ++byte)
      check ^= load(code.parity + 256 * byte + static_cast<int>(data >> (8 * byte) & 0xFF));
    return check;
  }
  /// Corrects a word in place and returns its status.
  AXELRAM_DEVICE std::uint32_t correct_word(std::uint64_t* data, std::uint32_t* check) const {
    const std::uint32_t syndrome = check_bits(*data) ^ *check;
    if (syndrome == 0) return 0;
    const CodePattern& pattern = code.patterns[syndrome];
    *data ^= pattern.data;
    *check ^= pattern.check;
    return pattern.status;
  }

  AXELRAM_DEVICE std::uint32_t decode(const SharedBytes& from, int words, int bits,
                                      const SharedBytes& to, int) const {
    BitWriter writer{to.address()};
    std::uint32_t statuses = 0;
    for (int j = 0; j < words; ++j) {
      const unsigned bit = 8 * from.byte + static_cast<unsigned>(j * code.n);
      std::uint64_t data = read_bits(from.words, bit, code.k);
      auto check = static_cast<std::uint32_t>(
          read_bits(from.words, bit + static_cast<unsigned>(code.k), code.n - code.k));
      statuses |= correct_word(&data, &check) << (2 * j);
      const int left = bits - j * code.k;
      writer.put(data, left < code.k ? left : code.k);
    }
    writer.finish();
    return statuses;
  }

  AXELRAM_DEVICE void encode(const SharedBytes& from, int words, int bits, const SharedBytes& to,
                             int) const {
    BitWriter writer{to.address()};
    for (int j = 0; j < words; ++j) {
      const int left = bits - j * code.k;
      const std::uint64_t data =
          read_bits(from.words, 8 * from.byte + static_cast<unsigned>(j * code.k),
                    left < code.k ? left : code.k);
      writer.put(data, code.k);
      writer.put(check_bits(data), code.n - code.k);
    }
    writer.finish();
  }

  AXELRAM_DEVICE std::uint32_t correct(const SharedBytes& from, int words, std::uint8_t* to) const {
    BitWriter writer{to};
    std::uint32_t statuses = 0;
    for (int j = 0; j < words; ++j) {
      const unsigned bit = 8 * from.byte + static_cast<unsigned>(j * code.n);
      std::uint64_t data = read_bits(from.words, bit, code.k);
      auto check = static_cast<std::uint32_t>(
          read_bits(from.words, bit + static_cast<unsigned>(code.k), code.n - code.k));
      statuses |= correct_word(&data, &check) << (2 * j);
      writer.put(data, code.k);
      writer.put(check, code.n - code.k);
    }
    const unsigned end = 8 * from.byte + static_cast<unsigned>(words * code.n);
    writer.put(read_bits(from.words, end, 8 - writer.bits), writer.bits > 0 ? 8 - writer.bits : 0);
    return statuses;
  }
};

}  // namespace axelram::kernels
