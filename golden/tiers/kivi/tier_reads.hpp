#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

// Arguments of the units that read tiers, by level (level_units.hpp). Members alone: an inline
// function would be emitted once for each level.

/// decode_kivi_ref, in one of two arrangements: elements of a group next to each other (values), or
/// groups (keys: next_group is 1, groups a multiple of 8).
struct KiviDecoding {
  int bits, step;
  std::size_t groups, size, next_element, next_group;
  const std::uint8_t* block;
  float* x;
};

/// score_kivi_ref of blocks with d a multiple of 32.
struct KiviBlockScores {
  const std::uint8_t* blocks;
  std::size_t block_count, block_bytes;
  std::size_t d, group;
  int bits, step;
  const float* queries;
  std::size_t count, query_stride;
  float* scores;
  std::size_t score_stride;
};

/// What a row is added to: sums of `count` queries.
struct RowWeights {
  const float* weights;
  std::size_t count, weight_stride;
  float* sums;
  std::size_t sum_stride;
};

/// sum_kivi_ref of rows with d a multiple of 32.
struct KiviRowSums {
  const std::uint8_t* rows;
  std::size_t row_count, row_bytes;
  std::size_t d, group;
  int bits, step;
  RowWeights to;
};

/// Elements of KVQuant rows by their indices alone, d a multiple of 32: x is [row_count, d]. Of
/// keys middles and radii are given, FP16, d each; of values they are null, and each row has its
/// extremes behind the indices.
struct NuqRows {
  const std::uint8_t* rows;
  std::size_t row_count, row_bytes;
  std::size_t d;
  int bits;
  const float* levels;  ///< 16: those of the index modulo 2^bits
  const std::uint16_t *middles, *radii;
  float* x;
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

/// sum_groups_ref, x being [row_count, d], d a multiple of 32.
struct GroupSums {
  const float* x;
  std::size_t row_count, d, group;
  bool fused;
  const float* weights;
  std::size_t count, weight_stride;
  double* sums;
  std::size_t sum_stride;
};

}  // namespace axelram
