#pragma once

#include <cstdint>

namespace axelram {

/// Rounds the rotated query to query_bits (bit-contract.md#read-1). With Y = max|y_i| and
/// sh = max(0, bit_length(Y) - (WQ - 1)), u_i is RNE(y_i / 2^sh), clamped to +-(2^(WQ-1) - 1).
///
/// y: d rotated elements, |y_i| < 2^31; query_bits: WQ, 6..16; u: d results.
/// Returns sh; the exponent of u is e_u = e + sh.
int round_query_ref(const std::int32_t* y, int d, int query_bits, std::int32_t* u);

}  // namespace axelram
