#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/device.hpp"

namespace axelram::kernels {

/// out = RNE(scale * H_d in) for every row of FP16 elements; sums and product in FP32, overflow to
/// infinity. in, out: [rows, d], device memory, addresses multiples of 16 bytes, no overlap.
/// Throws DeviceError for d other than 32, 64, 128 or 256, and for other addresses.
void hadamard_rows(Stream& stream, int d, const std::uint16_t* in, std::size_t rows, float scale,
                   std::uint16_t* out);

}  // namespace axelram::kernels
