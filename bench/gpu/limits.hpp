#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/device.hpp"

namespace bench {

/// Copies 16 bytes a thread and step; bytes: a multiple of 16.
void copy_by_kernel(axelram::kernels::Stream& stream, const std::uint8_t* from, std::uint8_t* to,
                    std::size_t bytes);

/// Instructions that need nothing but their turn: half of them FP32 multiply-adds, half integer
/// operations, in chains long enough to hide their latency, on every multiprocessor. sink: 4 bytes.
/// Returns the number of instructions that warps issue, loop and ends not counted.
double issue_instructions(axelram::kernels::Stream& stream, int multiprocessors, int steps,
                          std::uint32_t* sink);

}  // namespace bench
