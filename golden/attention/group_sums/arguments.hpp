#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

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
