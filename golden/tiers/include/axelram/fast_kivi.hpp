#pragma once

#include <cstdint>

#include "axelram/kivi.hpp"
#include "axelram/simd.hpp"

namespace axelram {

/// The fast twins of encode_kivi_ref, decode_kivi_ref and nest_kivi_ref: same arguments, same
/// results bit for bit, on every level. None depends on the rounding or denormal mode of the
/// caller.

void encode_kivi(const KiviLayout& layout, const std::uint16_t* x, std::uint8_t* block,
                 SimdLevel level = simd_level());

void decode_kivi(const KiviLayout& layout, const std::uint8_t* block, float* x,
                 SimdLevel level = simd_level());

void nest_kivi(const KiviLayout& four_bits, const std::uint8_t* warm, std::uint8_t* block);

}  // namespace axelram
