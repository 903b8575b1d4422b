#pragma once

#include <cstdint>

#include "device/platform.cuh"

/// Row-major records in shared memory, each at a word boundary.
namespace axelram::kernels {

/// Words of a record: one more than it has, which staged_index may read, and an odd number in all,
/// so that the same word of many records lies in many banks.
AXELRAM_HD constexpr int staged_words(int record_bits) { return ((record_bits + 31) / 32 + 1) | 1; }

/// A warp copies a record of `halfwords` 16-bit words and clears the rest of its staged_words.
AXELRAM_DEVICE void stage_record(std::uint32_t* staged, int words, const std::uint16_t* record,
                                 int halfwords) {
  auto* const to = reinterpret_cast<std::uint16_t*>(staged);
  for (int i = static_cast<int>(lane_index()); i < 2 * words; i += 32)
    to[i] = i < halfwords ? load(record + i) : std::uint16_t{0};
}

/// Index number `dim` of those from bit `first_bit` on.
AXELRAM_HD std::uint32_t staged_index(const std::uint32_t* record, int index_bits, int dim,
                                      int first_bit = 0) {
  const unsigned bit = static_cast<unsigned>(first_bit + dim * index_bits);
  return funnel_right(record[bit >> 5], record[(bit >> 5) + 1], bit & 31U) &
         ((1U << index_bits) - 1);
}

/// The norm at bit `first_bit`, a multiple of 16.
AXELRAM_HD std::uint16_t staged_norm(const std::uint32_t* record, int first_bit) {
  const unsigned bit = static_cast<unsigned>(first_bit);
  return static_cast<std::uint16_t>(record[bit >> 5] >> (bit & 31U));
}

}  // namespace axelram::kernels
