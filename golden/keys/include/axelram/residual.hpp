#pragma once

#include <cstdint>

namespace axelram {

/// The residual of a rotated key: its difference to its levels, scaled to `bits` bits with sign.
/// The Hadamard network of keys takes these bits (bit-contract.md#residual-1). y, rho: d elements;
/// indices: d, below the number of reconstructions R_j, `levels`. |y_i - R_j| < 2^29; bits: 12..21.
/// Returns the shift h: y - R = rho * 2^h.
int residual_ref(const std::int32_t* y, const std::uint8_t* indices, int d,
                 const std::int32_t* reconstructions, int levels, int bits, std::int32_t* rho);

/// t_i = 1 if z_i < 0, otherwise 0 (bit-contract.md#residual-2). z: d rotated elements.
void residual_signs_ref(const std::int32_t* z, int d, std::uint8_t* signs);

/// Sum of t_i ? -v_i : v_i over d elements, exact (bit-contract.md#residual-6). |v_i| < 2^15.
std::int64_t residual_sum_ref(const std::int32_t* v, const std::uint8_t* signs, int d);

}  // namespace axelram
