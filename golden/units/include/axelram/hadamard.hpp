#pragma once

#include <cstdint>

namespace axelram {

/// x = H_d x in place, H_d the unnormalised Sylvester matrix, entry (r, c) =
/// (-1)^popcount(r AND c): log2(d) stages of d/2 butterflies (paper section III.A).
/// d: a power of two. Exact as long as d * max|x_i| < 2^31 (29 bits signed for legal parameters).
void hadamard_ref(std::int32_t* x, int d);

/// ROTATE: x = H_d diag(signs) x in place (bit contract, "ROTATE"). signs: d values, +1 or -1.
void rotate_ref(const std::int8_t* signs, std::int32_t* x, int d);

}  // namespace axelram
