#include <algorithm>
#include <string>

#include "axelram/kernels/scores.hpp"
#include "device/launch.cuh"
#include "units/score.cuh"
#include "units/staged_record.cuh"
#include "units/trellis.cuh"

namespace axelram::kernels {
namespace {

constexpr int kKeys = 128;   // of a block: a thread each
constexpr int kQueries = 8;  // scored at once

constexpr int kCentroids = 32;

/// Shared memory: u as [d, kQueries], then the centroids, then kKeys staged records. A thread
/// reads each index of its record once for kQueries queries: limited by its multiplications, d for
/// a score; 12 bytes written a score.
template <class Sum>
AXELRAM_KERNEL AXELRAM_BOUNDS(kKeys, 4) void score_records_kernel(
    MacroConstants constants, const std::int32_t* u, const std::int32_t* exponents,
    std::size_t queries, const std::uint16_t* records, std::size_t tokens,
    std::int64_t* accumulators, float* scores, std::uint32_t* saturated) {
  const int d = constants.head_dim, b = constants.index_bits, halfwords = (d * b + 16) / 16;
  const int stride = staged_words(d, b), thread = static_cast<int>(thread_index());
  auto* const rows = shared_memory<std::int32_t>();
  auto* const centroids = rows + d * kQueries;
  auto* const staged = reinterpret_cast<std::uint32_t*>(centroids + kCentroids);

  const std::size_t first = std::size_t{block_x()} * kKeys;
  const std::size_t token = first + static_cast<std::size_t>(thread);
  for (int key = static_cast<int>(warp_index()); key < kKeys; key += kKeys / 32)
    if (first + static_cast<std::size_t>(key) < tokens)
      stage_record(
          staged + key * stride, stride,
          records + (first + static_cast<std::size_t>(key)) * static_cast<std::size_t>(halfwords),
          halfwords);
  if (thread < kCentroids) centroids[thread] = constants.centroids[thread];
  const std::uint32_t* const record = staged + thread * stride;

  std::uint32_t events = 0;
  for (std::size_t base = std::size_t{block_y()} * kQueries; base < queries;
       base += std::size_t{grid_y()} * kQueries) {
    sync_block();
    for (int i = thread; i < d * kQueries; i += kKeys) {
      const std::size_t query = base + static_cast<std::size_t>(i / d);
      const std::size_t from =
          query * static_cast<std::size_t>(d) + static_cast<std::size_t>(i % d);
      rows[i % d * kQueries + i / d] = query < queries ? load(u + from) : 0;
    }
    sync_block();
    if (token >= tokens) continue;
    Sum sums[kQueries] = {};
    std::uint32_t state = 0;
    for (int i = 0; i < d; ++i) {
      const std::int32_t centroid =
          centroids[next_level(constants.states, staged_index(record, b, i), state)];
      AXELRAM_UNROLL
      for (int q = 0; q < kQueries; ++q)
        sums[q] += static_cast<Sum>(rows[i * kQueries + q]) * centroid;
    }
    const std::uint16_t norm = staged_norm(record, d, b);
    AXELRAM_UNROLL
    for (int q = 0; q < kQueries; ++q) {
      const std::size_t query = base + static_cast<std::size_t>(q);
      if (query >= queries) break;
      bool beyond = false;
      const float score = score_ref(sums[q], norm, load(exponents + query), &beyond);
      scores[query * tokens + token] = score;
      if (accumulators != nullptr) accumulators[query * tokens + token] = sums[q];
      events += beyond ? 1 : 0;
    }
  }
  if (events != 0 && saturated != nullptr) atomic_add(saturated, events);
}

}  // namespace

void score_records(Stream& stream, const MacroConstants& constants, const std::int32_t* u,
                   const std::int32_t* exponents, std::size_t queries, const std::uint8_t* records,
                   std::size_t tokens, std::int64_t* accumulators, float* scores,
                   std::uint32_t* saturated) {
  const int d = constants.head_dim, b = constants.index_bits;
  const std::size_t record_words = kKeys * static_cast<std::size_t>(staged_words(d, b));
  const std::size_t words = static_cast<std::size_t>(d * kQueries + kCentroids) + record_words;
  const Launch shape{"score_records",
                     "queries [" + std::to_string(queries) + ", " + std::to_string(d) +
                         "], records [" + std::to_string(tokens) + ", " +
                         std::to_string(constants.record_bytes()) + "]",
                     (tokens + kKeys - 1) / kKeys,
                     std::min<std::size_t>((queries + kQueries - 1) / kQueries, 65535),
                     1,
                     kKeys,
                     4 * words};
  const int sum_bits = constants.query_bits + constants.centroid_bits - 1 + constants.log2_dim;
  const auto with = [&](auto kernel) {
    launch(stream, shape, kernel, constants, u, exponents, queries,
           reinterpret_cast<const std::uint16_t*>(records), tokens, accumulators, scores,
           saturated);
  };
  if (sum_bits <= 32)
    with(score_records_kernel<std::int32_t>);
  else
    with(score_records_kernel<std::int64_t>);
}

}  // namespace axelram::kernels
