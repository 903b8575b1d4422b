#pragma once

#include <cstdint>
#include <vector>

#include "axelram/nuq.hpp"
#include "axelram/simd.hpp"

namespace axelram {

/// The fast twins of encode_nuq_key_ref, encode_nuq_value_ref and decode_nuq_ref: same arguments,
/// same results bit for bit, on every level. None depends on the rounding or denormal mode of the
/// caller.

void encode_nuq_key(const NuqLayout& layout, const std::vector<double>& boundaries,
                    const NuqRanges& ranges, const std::uint16_t* x, std::uint8_t* row,
                    SimdLevel level = simd_level());

void encode_nuq_value(const NuqLayout& layout, const std::vector<double>& boundaries,
                      const std::uint16_t* x, std::uint8_t* row, SimdLevel level = simd_level());

void decode_nuq(const NuqLayout& layout, const std::vector<std::uint16_t>& levels,
                const NuqRanges& ranges, const std::uint8_t* row, float* x,
                SimdLevel level = simd_level());

}  // namespace axelram
