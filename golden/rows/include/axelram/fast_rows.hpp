#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/blend.hpp"
#include "axelram/dequantize.hpp"
#include "axelram/simd.hpp"

namespace axelram {

/// The fast twins of dequantize_ref, begin_master_ref and blend_ref: same arguments, same results
/// bit for bit, on every level, whatever the caller's rounding and denormal modes.

void dequantize(const Dequantizer& of, const std::uint8_t* record, float* row,
                SimdLevel level = simd_level());

/// d: a multiple of 32.
void begin_master(const float* row, std::size_t d, std::uint16_t* master,
                  SimdLevel level = simd_level());

/// d: a multiple of 32.
void blend(float eta, const float* row, std::size_t d, std::uint16_t* master,
           SimdLevel level = simd_level());

}  // namespace axelram
