#pragma once

#include <cstdint>

#include "axelram/parameters.hpp"

namespace axelram {

/// Aligns d floats to integers with one common exponent (bit-contract.md#align).
///
/// x: d raw elements of `format`. significand_bits: W, 12..20.
/// m: d results, m_i = RNE(x_i * 2^-e), |m_i| < 2^(W-1). *e = E - (W - 2) with E the largest
/// max(exponent field, 1) - bias; the elements that attain E are exact.
/// powers: d exponents of -8..8; element i is taken as x_i * 2^powers[i], a zero too
/// (bit-contract.md#exponents). Null: all 0.
/// Returns false, and writes nothing, if any element is NaN or infinite.
bool align_ref(const std::uint16_t* x, int d, ElementFormat format, int significand_bits,
               std::int32_t* m, int* e, const std::int8_t* powers = nullptr);

}  // namespace axelram
