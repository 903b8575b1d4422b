#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/device.hpp"
#include "axelram/kernels/weights.hpp"

namespace axelram::kernels {

/// x * s = high + low, to 22 (F16) or 16 (BF16) bits. s: for F16 the power of two that brings the
/// largest magnitude of all x to 2^14 .. 2^15, as near as a float can; for BF16 1. *inverse = 1 /
/// s. high, low: raw values [rows, width]; largest: scratch. All in device memory.
void split(Stream& stream, const float* x, std::size_t rows, std::size_t width, WeightType type,
           std::uint16_t* high, std::uint16_t* low, float* inverse, std::uint32_t* largest);

}  // namespace axelram::kernels
