#pragma once

#include <cstddef>

namespace axelram {

/// FP32 rows [count, d] whose weighted sums are FP32 sums of groups of `group` rows, the last one
/// of fewer, which are added in FP64.
struct GroupedRows {
  const float* rows;
  std::size_t count, d, group;
  bool fused;  ///< products are added with one rounding (std::fma); or rounded, then added
};

/// sums[i * sum_stride + c] += the sum of each group, in order, for `queries` queries: in the order
/// of its rows, from +0, weights[i * weight_stride + t] * rows[t * d + c].
void sum_groups_ref(const GroupedRows& of, const float* weights, std::size_t queries,
                    std::size_t weight_stride, double* sums, std::size_t sum_stride);

}  // namespace axelram
