#pragma once

#include "attention/attend_merge.cuh"

namespace axelram::kernels {

/// Merges the splits of a query head: block (query head). Reads splits * (4d + 16) bytes, once.
template <int kDim>
AXELRAM_KERNEL void AXELRAM_BOUNDS(32 * kAttendWarps, 4) attend_combine(AttendArguments a) {
  constexpr int kPerLane = kDim / 32;
  const auto row = static_cast<std::int64_t>(block_x());
  const auto lane = static_cast<std::int32_t>(lane_index());
  const auto warp = static_cast<std::int32_t>(warp_index());
  const std::int32_t rows_of_query = a.heads * a.group;
  const std::int64_t query = row / rows_of_query;
  const std::int32_t kv_head = static_cast<std::int32_t>(row % rows_of_query) / a.group;
  const std::int32_t tiles = tiles_of(paged_tokens_of(a, query).end);
  // Splits without a token were not written.
  std::int32_t splits = (tiles + a.split_tiles - 1) / a.split_tiles;
  if (splits > a.splits) splits = a.splits;

  const SplitStatistics* const statistics = a.split_statistics + row * a.splits;
  SoftmaxReference reference;
  for (std::int32_t split = lane; split < splits; split += 32)
    reference = common_reference(reference, statistics[split].reference);
  AXELRAM_UNROLL
  for (unsigned mask = 1; mask < 32; mask *= 2)
    reference = common_reference(
        reference, {shuffle_xor(reference.maximum, mask), shuffle_xor(reference.offset, mask)});

  float sum = 0, x[kPerLane] = {};
  const float* const sums = a.split_sums + row * a.splits * kDim + kPerLane * lane;
  for (std::int32_t split = warp; split < splits; split += kAttendWarps) {
    const SplitStatistics s = statistics[split];
    const float factor = change_of_reference(s.reference, reference);
    sum = multiply_add(s.sum, factor, sum);
    const float* const from = sums + static_cast<std::int64_t>(split) * kDim;
    AXELRAM_UNROLL
    for (int i = 0; i < kPerLane; ++i) x[i] = multiply_add(from[i], factor, x[i]);
  }

  auto* const shared = shared_memory<float>();  // [kAttendWarps, kDim + 1]
  AXELRAM_UNROLL
  for (int i = 0; i < kPerLane; ++i) shared[warp * (kDim + 1) + kPerLane * lane + i] = x[i];
  if (lane == 0) shared[warp * (kDim + 1) + kDim] = sum;
  sync_block();
  if (warp != 0) return;
  for (int w = 1; w < kAttendWarps; ++w) {
    const float* const from = shared + w * (kDim + 1);
    AXELRAM_UNROLL
    for (int i = 0; i < kPerLane; ++i) x[i] += from[kPerLane * lane + i];
    sum += from[kDim];
  }
  finish_head<kDim>(a, row, kv_head, reference, sum, x);
}

}  // namespace axelram::kernels
