#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/nuq_read.hpp"
#include "axelram/simd.hpp"

namespace axelram {

/// The fast twins of score_nuq_ref and sum_nuq_ref, as those of fast_kivi_read.hpp.

void score_nuq(const NuqLayout& keys, const std::vector<std::uint16_t>& levels,
               const NuqRanges& ranges, const std::uint8_t* rows, std::size_t row_count,
               const float* queries, std::size_t count, std::size_t query_stride, float* scores,
               std::size_t score_stride, SimdLevel level = simd_level());

void sum_nuq(const NuqLayout& values, const std::vector<std::uint16_t>& levels,
             const std::uint8_t* rows, std::size_t row_count, const float* weights,
             std::size_t count, std::size_t weight_stride, float* sums, std::size_t sum_stride,
             SimdLevel level = simd_level());

}  // namespace axelram
