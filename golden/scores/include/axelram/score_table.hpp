#pragma once

#include <cstdint>

namespace axelram {

/// table[i][j] = u_i * C_j, exact (bit-contract.md#read-3; references.md#axelram, section III.B,
/// step 2). u: d values; centroid_words: `levels` = 2^b ROM words C_j. table: d * levels results,
/// table[i][j] at i * levels + j.
void score_table_ref(const std::int32_t* u, int d, const std::int32_t* centroid_words, int levels,
                     std::int32_t* table);

}  // namespace axelram
