#pragma once

#include <cstdint>

#include "attention/attend_arguments.cuh"
#include "units/inverse_rotate.cuh"

namespace axelram::kernels {

/// Sums of the warps of a block, to be merged: [kAttendWarps, kBlockHeads].
template <int kDim>
struct BlockSums {
  static constexpr int kStride = kDim + 4;  // rows two apart begin 8 banks apart
  SplitStatistics statistics[kAttendWarps][kBlockHeads];
  float sums[kAttendWarps][kBlockHeads][kStride];
};

/// Adds up the sums of the block's warps for query head `head` of the block: elements kDim / 32 *
/// lane and up of it.
template <int kDim>
AXELRAM_DEVICE void merge_warps(const BlockSums<kDim>& block, unsigned head,
                                SoftmaxReference* reference, float* sum, float (&x)[kDim / 32]) {
  constexpr int kPerLane = kDim / 32;
  *reference = {};
  AXELRAM_UNROLL
  for (int w = 0; w < kAttendWarps; ++w)
    *reference = common_reference(*reference, block.statistics[w][head].reference);
  *sum = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kPerLane; ++i) x[i] = 0;
  AXELRAM_UNROLL
  for (int w = 0; w < kAttendWarps; ++w) {
    const SplitStatistics& s = block.statistics[w][head];
    const float factor = change_of_reference(s.reference, *reference);
    *sum = multiply_add(s.sum, factor, *sum);
    const float* const from = block.sums[w][head] + kPerLane * lane_index();
    AXELRAM_UNROLL
    for (int i = 0; i < kPerLane; ++i) x[i] = multiply_add(from[i], factor, x[i]);
  }
}

/// Finishes a query head: x / sum, rotated back if the values are records, and merged with the part
/// of its exact tokens, if it has one.
template <int kDim>
AXELRAM_DEVICE void finish_head(const AttendArguments& a, std::int64_t row, std::int32_t kv_head,
                                const SoftmaxReference& reference, float sum,
                                float (&x)[kDim / 32]) {
  constexpr int kPerLane = kDim / 32;
  const std::int64_t at = row * kDim + kPerLane * static_cast<int>(lane_index());
  float factor = 1, exact_factor = 0;
  if (a.exact_statistics != nullptr) {
    const SplitStatistics exact = a.exact_statistics[row];
    const SoftmaxReference common = common_reference(reference, exact.reference);
    factor = change_of_reference(reference, common);
    exact_factor = change_of_reference(exact.reference, common);
    sum = multiply_add(sum, factor, exact.sum * exact_factor);
  }
  const float scale = sum > 0 ? 1 / sum : 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kPerLane; ++i) x[i] *= scale * factor;
  if (a.values.kind != RowKind::fp16)
    inverse_rotate(x, a.value_signs + kv_head * kDim, a.value_scale);
  if (a.exact_statistics != nullptr) {
    AXELRAM_UNROLL
    for (int i = 0; i < kPerLane; ++i)
      x[i] = multiply_add(a.exact_sums[at + i], scale * exact_factor, x[i]);
  }
  AXELRAM_UNROLL
  for (int i = 0; i < kPerLane; ++i) a.out[at + i] = x[i];
}

}  // namespace axelram::kernels
