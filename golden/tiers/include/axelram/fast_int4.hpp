#pragma once

#include <cstdint>

#include "axelram/int4_row.hpp"

namespace axelram {

/// The fast twins of quantize_int4_row_ref and dequantize_int4_row_ref: same arguments, same
/// results bit for bit.

void quantize_int4_row(const Int4Layout& layout, const float* x, std::uint8_t* row,
                       std::uint16_t* scales, std::uint16_t* minima);

void dequantize_int4_row(const Int4Layout& layout, const std::uint8_t* row,
                         const Int4Scales& scales, float* x);

}  // namespace axelram
