#pragma once

#include <cstddef>
#include <cstdint>

#include "tiers/float_row/arguments.hpp"

namespace axelram {

/// encode_kivi_ref: groups of elements next to each other in memory (values), or elements of groups
/// that are next to each other (keys: next_group is 1, groups a multiple of 8). At most 256 groups,
/// and elements of a group.
struct KiviEncoding {
  int bits;
  std::size_t groups, size, next_element, next_group;
  const std::uint16_t* x;
  std::uint8_t* block;
};

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

/// sum_kivi_ref of rows with d a multiple of 32.
struct KiviRowSums {
  const std::uint8_t* rows;
  std::size_t row_count, row_bytes;
  std::size_t d, group;
  int bits, step;
  RowWeights to;
};

}  // namespace axelram
