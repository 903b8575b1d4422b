#include <algorithm>
#include <cmath>

#include "axelram/group_sums.hpp"

namespace axelram {

void sum_groups_ref(const GroupedRows& of, const float* weights, std::size_t queries,
                    std::size_t weight_stride, double* sums, std::size_t sum_stride) {
  for (std::size_t i = 0; i < queries; ++i)
    for (std::size_t first = 0; first < of.count; first += of.group)
      for (std::size_t c = 0; c < of.d; ++c) {
        float sum = 0;
        for (std::size_t t = first; t < std::min(first + of.group, of.count); ++t) {
          const float weight = weights[i * weight_stride + t], x = of.rows[t * of.d + c];
          sum = of.fused ? std::fma(weight, x, sum) : sum + weight * x;
        }
        sums[i * sum_stride + c] += double{sum};
      }
}

}  // namespace axelram
