#include <algorithm>
#include <string>

#include "axelram/kernels/scores.hpp"
#include "common/row_checks.hpp"
#include "device/launch.cuh"
#include "units/score.cuh"
#include "units/staged_record.cuh"
#include "units/trellis.cuh"

namespace axelram::kernels {
namespace {

constexpr int kKeys = 128;   // of a block: a thread each
constexpr int kQueries = 8;  // scored at once

constexpr int kCentroids = 32;  // of a part

/// What a launch reads and writes beside records and constants.
struct ScoreArguments {
  RoundedVectors queries;
  std::size_t tokens;
  float* scores;
  std::int64_t* accumulators[2];     ///< of each part, or null
  std::size_t accumulator_distance;  ///< from a token to the next
  std::uint32_t* saturated;
};

/// Element `at` of a query: those of u, then those of v.
AXELRAM_DEVICE std::int32_t query_element(const RoundedVectors& queries, std::size_t query, int at,
                                          int d) {
  const std::size_t row = query * static_cast<std::size_t>(d);
  return at < d ? load(queries.u + row + static_cast<std::size_t>(at))
                : load(queries.v + row + static_cast<std::size_t>(at - d));
}

/// Sums of a part of a record with kQueries queries. rows: the queries' elements of the part.
template <class Sum>
AXELRAM_DEVICE void add_part(const std::uint32_t* record, int first_bit, int index_bits, int states,
                             int elements, const std::int32_t* centroids, const std::int32_t* rows,
                             Sum (&sums)[kQueries]) {
  std::uint32_t state = 0;
  for (int i = 0; i < elements; ++i) {
    const std::int32_t centroid =
        centroids[next_level(states, staged_index(record, index_bits, i, first_bit), state)];
    AXELRAM_UNROLL
    for (int q = 0; q < kQueries; ++q)
      sums[q] += static_cast<Sum>(rows[i * kQueries + q]) * centroid;
  }
}

/// The score of the record of a thread.
template <int kParts, class Sum>
AXELRAM_DEVICE float score_of(const MacroConstants& c, const ScoreArguments& a, std::size_t query,
                              const Sum* sums, const std::uint16_t* norms, bool* beyond) {
  const std::int32_t e_u = load(a.queries.exponents + query);
  if constexpr (kParts == 1) {
    return score_ref(sums[0], norms[0], e_u, beyond);
  } else {
    if (!c.prod)
      return score_sum_ref({sums[0], norms[0], e_u}, {sums[1], norms[1], e_u}, 1, beyond);
    const std::int32_t e_v =
        load(a.queries.residual_exponents + query) + residual_exponent(c.log2_dim);
    return score_sum_ref({sums[0], norms[0], e_u}, {sums[1], norms[1], e_v}, c.residual_scale,
                         beyond);
  }
}

/// Shared memory: the queries as [elements, kQueries], then the centroids, then kKeys staged
/// records. A thread reads each index of its record once for kQueries queries: limited by its
/// multiplications, d for a score, 2d with residual signs; 12 bytes written a score.
template <class Sum, int kParts>
AXELRAM_KERNEL AXELRAM_BOUNDS(kKeys, 4) void score_records_kernel(MacroConstants c,
                                                                  const std::uint16_t* records,
                                                                  ScoreArguments a) {
  const int d = c.head_dim, dim = c.part_dim(), elements = c.prod ? 2 * d : d;
  const int halfwords = c.record_bytes() / 2, stride = staged_words(16 * halfwords);
  const int thread = static_cast<int>(thread_index());
  auto* const rows = shared_memory<std::int32_t>();
  auto* const centroids = rows + elements * kQueries;
  auto* const staged = reinterpret_cast<std::uint32_t*>(centroids + kParts * kCentroids);

  const std::size_t first = std::size_t{block_x()} * kKeys;
  const std::size_t token = first + static_cast<std::size_t>(thread);
  for (int key = static_cast<int>(warp_index()); key < kKeys; key += kKeys / 32)
    if (first + static_cast<std::size_t>(key) < a.tokens)
      stage_record(
          staged + key * stride, stride,
          records + (first + static_cast<std::size_t>(key)) * static_cast<std::size_t>(halfwords),
          halfwords);
  if (thread < kCentroids) {
    centroids[thread] = c.centroids[thread];
    if (kParts == 2) centroids[kCentroids + thread] = c.second.centroids[thread];
  }
  const std::uint32_t* const record = staged + thread * stride;

  std::uint32_t events = 0;
  for (std::size_t base = std::size_t{block_y()} * kQueries; base < a.queries.count;
       base += std::size_t{grid_y()} * kQueries) {
    sync_block();
    for (int i = thread; i < elements * kQueries; i += kKeys) {
      const int q = i / elements, at = i % elements;
      const std::size_t query = base + static_cast<std::size_t>(q);
      rows[at * kQueries + q] =
          query < a.queries.count ? query_element(a.queries, query, at, d) : 0;
    }
    sync_block();
    if (token >= a.tokens) continue;
    const int second_bit = dim * c.index_bits, norm_bit = second_bit + dim * c.second.index_bits;
    Sum sums[kParts][kQueries] = {};
    std::uint16_t norms[kParts];
    norms[0] = staged_norm(record, norm_bit);
    add_part(record, 0, c.index_bits, c.states, dim, centroids, rows, sums[0]);
    if constexpr (kParts == 2) {
      norms[1] = staged_norm(record, norm_bit + 16);
      add_part(record, second_bit, c.second.index_bits, c.states, dim, centroids + kCentroids,
               rows + dim * kQueries, sums[1]);
    }
    AXELRAM_UNROLL
    for (int q = 0; q < kQueries; ++q) {
      const std::size_t query = base + static_cast<std::size_t>(q);
      if (query >= a.queries.count) break;
      Sum of_query[kParts];
      const std::size_t at = query * a.tokens + token;
      AXELRAM_UNROLL
      for (int part = 0; part < kParts; ++part) {
        of_query[part] = sums[part][q];
        if (a.accumulators[part] != nullptr)
          a.accumulators[part][at * a.accumulator_distance] = sums[part][q];
      }
      bool beyond = false;
      a.scores[at] = score_of<kParts>(c, a, query, of_query, norms, &beyond);
      events += beyond ? 1 : 0;
    }
  }
  if (events != 0 && a.saturated != nullptr) atomic_add(a.saturated, events);
}

template <int kParts>
void launch_records(Stream& stream, const char* name, const MacroConstants& c,
                    const std::uint8_t* records, const ScoreArguments& a) {
  const int elements = c.prod ? 2 * c.head_dim : c.head_dim;
  const std::size_t record_words =
      kKeys * static_cast<std::size_t>(staged_words(8 * c.record_bytes()));
  const std::size_t words =
      static_cast<std::size_t>(elements * kQueries + kParts * kCentroids) + record_words;
  const Launch shape{name,
                     "queries [" + std::to_string(a.queries.count) + ", " +
                         std::to_string(c.head_dim) + "], records [" + std::to_string(a.tokens) +
                         ", " + std::to_string(c.record_bytes()) + "]",
                     (a.tokens + kKeys - 1) / kKeys,
                     std::min<std::size_t>((a.queries.count + kQueries - 1) / kQueries, 65535),
                     1,
                     kKeys,
                     4 * words};
  const int sum_bits = c.query_bits + c.centroid_bits - 1 + c.log2_dim;
  const auto* const halfwords = reinterpret_cast<const std::uint16_t*>(records);
  if (sum_bits <= 32)
    launch(stream, shape, score_records_kernel<std::int32_t, kParts>, c, halfwords, a);
  else
    launch(stream, shape, score_records_kernel<std::int64_t, kParts>, c, halfwords, a);
}

}  // namespace

void score_records(Stream& stream, const MacroConstants& constants, const std::int32_t* u,
                   const std::int32_t* exponents, std::size_t queries, const std::uint8_t* records,
                   std::size_t tokens, std::int64_t* accumulators, float* scores,
                   std::uint32_t* saturated) {
  require_one_part("score_records", constants);
  const ScoreArguments a{{u, exponents, nullptr, nullptr, queries},
                         tokens,
                         scores,
                         {accumulators, nullptr},
                         1,
                         saturated};
  launch_records<1>(stream, "score_records", constants, records, a);
}

void score_parts(Stream& stream, const MacroConstants& c, const RoundedVectors& queries,
                 const std::uint8_t* records, std::size_t tokens, const PartScores& out) {
  constexpr const char* kName = "score_parts";
  check_constants(kName, c);
  require(c.two_parts(), kName, "constants", "records have one part");
  if (queries.count == 0 || tokens == 0) return;
  require(queries.u != nullptr && queries.exponents != nullptr, kName, "queries", "no queries");
  require(!c.prod || (queries.v != nullptr && queries.residual_exponents != nullptr), kName,
          "queries", "no second rotation");
  require(out.scores != nullptr, kName, "queries", "no scores");
  ScoreArguments a{queries, tokens, out.scores, {out.accumulators, nullptr}, 1, out.saturated};
  if (c.prod) {
    a.accumulators[1] = out.residual_accumulators;
  } else if (out.accumulators != nullptr) {
    a.accumulators[1] = out.accumulators + 1;
    a.accumulator_distance = 2;
  }
  launch_records<2>(stream, kName, c, records, a);
}

}  // namespace axelram::kernels
