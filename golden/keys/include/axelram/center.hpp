#pragma once

#include <cstdint>

#include "axelram/parameters.hpp"

namespace axelram {

/// Aligns a key x and a center vector c with one exponent and subtracts c (bit-contract.md#center).
///
/// x, c: d raw elements of `format` each; significand_bits: W, 12..20.
/// m: d results, m_i = RNE(x_i * 2^-e) - RNE(c_i * 2^-e), |m_i| < 2^W (W + 1 bits signed).
/// *e = E - (W - 2), E taken over the elements of both vectors.
/// powers: of the elements of x alone, as in align_ref.
/// Returns false, and writes nothing, if any element of x or c is NaN or infinite.
bool center_ref(const std::uint16_t* x, const std::uint16_t* c, int d, ElementFormat format,
                int significand_bits, std::int32_t* m, int* e, const std::int8_t* powers = nullptr);

}  // namespace axelram
