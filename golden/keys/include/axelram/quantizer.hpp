#pragma once

#include <cstdint>

namespace axelram {

/// T_j = floor(B_j * N / 2^F) (bit-contract.md#write-4).
/// boundary_words: `count` = 2^b - 1 ROM words B_j, ascending; root: N < 2^24; fraction_bits: F.
/// thresholds: `count` results, ascending, 32 bits.
void thresholds_ref(const std::int32_t* boundary_words, int count, std::uint32_t root,
                    int fraction_bits, std::int32_t* thresholds);

/// index_i = number of j with y_i > T_j; a tie takes the lower index (bit-contract.md#write-4).
/// y: d rotated elements; thresholds: `count` values; indices: d results, 0..count.
void quantize_ref(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,
                  std::uint8_t* indices);

}  // namespace axelram
