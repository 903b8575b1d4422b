#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

/// What a row is added to: sums of `count` queries.
struct RowWeights {
  const float* weights;
  std::size_t count, weight_stride;
  float* sums;
  std::size_t sum_stride;
};

/// lane_dot_ref of queries and rows, x being [row_count, d], d a multiple of 32.
struct FloatRowScores {
  const float* x;
  std::size_t row_count, d;
  const float* queries;
  std::size_t count, query_stride;
  float* scores;
  std::size_t score_stride;
};

/// add_weighted_ref of rows one after another, x being [row_count, d], d a multiple of 32.
struct FloatRowSums {
  const float* x;
  std::size_t row_count, d;
  RowWeights to;
};

}  // namespace axelram
