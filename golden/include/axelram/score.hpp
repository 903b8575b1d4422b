#pragma once

#include <cstdint>

namespace axelram {

/// acc = sum of P[i][index_i], exact (paper section III.B step 3; bit contract, read path step 4).
/// table: as score_table_ref wrote it; indices: d values below `levels`.
std::int64_t accumulate_ref(const std::int32_t* table, int d, int levels,
                            const std::uint8_t* indices);

/// The score of one key: FP32 RNE of acc * sigma * 2^(e_u + epsilon), norm = sigma * 2^epsilon as
/// decode_norm reads it, rounded once. Exact zero is +0, subnormals are kept, a nonzero value that
/// underflows to zero keeps its sign. Where the exact magnitude exceeds FLT_MAX the result is
/// +-FLT_MAX and *saturated is true (false otherwise). Integer code: bit-exact on every platform.
/// |acc| < 2^39; |e_u| < 10000.
float score_ref(std::int64_t acc, std::uint16_t norm, int e_u, bool* saturated);

}  // namespace axelram
