#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/fault.hpp"
#include "axelram/kernels/device.hpp"

namespace axelram::kernels {

/// Twin of corrupt_rows_ref: bit errors in rows of `bits` bits in device memory. Row i, which
/// begins at stored + i * stride, is XORed with fault_mask_ref of token first.token + i (mod 2^32)
/// at `threshold` (fault_threshold). Bytes between rows are not touched. stride: bytes, at least
/// ceil(bits/8) (any value if rows < 2); DeviceError otherwise. flipped: the number of bits
/// flipped is added to it, in device memory, or null.
void flip_bits(Stream& stream, const FaultSite& first, std::uint64_t threshold,
               std::uint8_t* stored, std::size_t rows, std::size_t bits, std::size_t stride,
               unsigned long long* flipped);

}  // namespace axelram::kernels
