#pragma once

#include <cstdint>

namespace axelram {

/// x = H_d x in place. H_d is the unnormalised Sylvester matrix with entries
/// (r, c) = (-1)^popcount(r AND c), applied in log2(d) stages of d/2 butterflies
/// (bit-contract.md#rotate; references.md#axelram, section III.A).
/// d: a power of two. Exact as long as d * max|x_i| < 2^31 (29 bits signed for legal parameters).
void hadamard_ref(std::int32_t* x, int d);

/// Rotation x = H_d diag(signs) x in place (bit-contract.md#rotate). signs: d values, +1 or -1.
/// Range as hadamard_ref().
void rotate_ref(const std::int8_t* signs, std::int32_t* x, int d);

}  // namespace axelram
