#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kivi_read.hpp"
#include "axelram/simd.hpp"

namespace axelram {

/// The fast twins of score_kivi_ref and sum_kivi_ref: same arguments, same results bit for bit, on
/// every level. A level above best_simd_level() is lowered to it. Neither depends on the rounding
/// or denormal mode of the caller, nor reads a byte behind the blocks or rows. At most 256
/// channels, and tokens of a block.

void score_kivi(const KiviLayout& keys, const std::uint8_t* blocks, std::size_t block_count,
                const float* queries, std::size_t count, std::size_t query_stride, float* scores,
                std::size_t score_stride, SimdLevel level = simd_level());

void sum_kivi(const KiviLayout& values, const std::uint8_t* rows, std::size_t row_count,
              const float* weights, std::size_t count, std::size_t weight_stride, float* sums,
              std::size_t sum_stride, SimdLevel level = simd_level());

}  // namespace axelram
