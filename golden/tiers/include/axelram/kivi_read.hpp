#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kivi.hpp"

namespace axelram {

// Scores and sums of coded KIVI blocks, without decoding them to memory
// (bit-contract.md#tier-reading).
//
// The order of each sum is fixed. It does not depend on the number of queries, of blocks or rows,
// nor on where they lie.

/// Runs of channels of a score, added one after another: run r has channels r, r + 8, ...
constexpr std::size_t kKiviScoreRuns = 8;

/// Scores of the keys of blocks that lie one after another: scores[i * score_stride + t] is the
/// product of query i with key t, t = 0 .. block_count * keys.size - 1. keys: of kivi_key_layout
/// (or nested_kivi_layout of it), d = keys.groups up to 256, a multiple of 8. queries: FP32, query
/// i at i * query_stride, |q| <= 2^96.
///
/// In a block, scaled_c = RNE(q_c * (scale_c * step)) and base = lane_dot(q, minima). Each run of
/// channels is summed from zero, scaled_c * code with one rounding each (std::fma); the first run,
/// plus the second, ..., plus the last is the sum; the score is base + sum. All in FP32.
///
/// Error: with u = 2^-24 a product meets at most 1 + 32 + 7 + 1 roundings, a minimum 16 + 4 + 1,
/// and a decoded key, FP32 itself, is within u of |minimum| + most * step * scale of the exact one.
/// So |score - <q, decoded key>| <= 43 u * sum of |q_c| * (|min_c| + most * step * scale_c), which
/// is below 2^-18 of that sum; the contract allows 2^-17. This holds for |q_c| >= 2^-102 or q_c =
/// 0: nothing underflows then. Otherwise 2^-137 is added.
void score_kivi_ref(const KiviLayout& keys, const std::uint8_t* blocks, std::size_t block_count,
                    const float* queries, std::size_t count, std::size_t query_stride,
                    float* scores, std::size_t score_stride);

/// Weighted sums of value rows that lie one after another: sums[i * sum_stride + c] becomes it plus
/// weight t * element c of row t for t = 0, 1, ..., in this order, one rounding each (std::fma), in
/// FP32. Rows in two calls give what they give in one. values: of kivi_value_layout (or
/// nested_kivi_layout of it). weights: of row t for query i at i * weight_stride + t. Elements are
/// those of decode_kivi_ref.
///
/// Error: row_count * 2^-24 of the sum of |weight_t * element_tc|, where sums were 0 before. With
/// 64 rows and sums of such pieces in FP64 it is 2^-18; the contract allows 2^-14 for outputs.
void sum_kivi_ref(const KiviLayout& values, const std::uint8_t* rows, std::size_t row_count,
                  const float* weights, std::size_t count, std::size_t weight_stride, float* sums,
                  std::size_t sum_stride);

}  // namespace axelram
