#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/nuq.hpp"

namespace axelram {

// Scores and sums of coded KVQuant rows (bit-contract.md#tier-reading). Orders are fixed as those
// of kivi_read.hpp.

/// Scores of keys that lie one after another: scores[i * score_stride + t] = lane_dot of query i
/// with row t as decode_nuq_ref decodes it, in FP32. keys: without `values`. levels, ranges: as for
/// decode_nuq_ref. Error: 20 * 2^-24 of the sum of |q_c * element_tc|, the contract allows 2^-17,
/// where no product underflows.
void score_nuq_ref(const NuqLayout& keys, const std::vector<std::uint16_t>& levels,
                   const NuqRanges& ranges, const std::uint8_t* rows, std::size_t row_count,
                   const float* queries, std::size_t count, std::size_t query_stride, float* scores,
                   std::size_t score_stride);

/// Weighted sums of values that lie one after another, as sum_kivi_ref: its order and its error.
/// values: with `values`.
void sum_nuq_ref(const NuqLayout& values, const std::vector<std::uint16_t>& levels,
                 const std::uint8_t* rows, std::size_t row_count, const float* weights,
                 std::size_t count, std::size_t weight_stride, float* sums, std::size_t sum_stride);

}  // namespace axelram
