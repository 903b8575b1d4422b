#include <cmath>

#include "attention/group_sums/arguments.hpp"
#include "simd/level_units.hpp"

namespace axelram::portable {
namespace {

constexpr std::size_t kWidest = 256;  // channels of a row

void add(bool fused, float weight, const float* row, std::size_t d, float* sums) {
  if (fused)
    for (std::size_t c = 0; c < d; ++c) sums[c] = std::fma(weight, row[c], sums[c]);
  else
    for (std::size_t c = 0; c < d; ++c) sums[c] += weight * row[c];
}

}  // namespace

void sum_groups(const GroupSums& of) {
  for (std::size_t i = 0; i < of.count; ++i)
    for (std::size_t t = 0; t < of.row_count;) {
      float part[kWidest] = {};
      const std::size_t end = of.row_count - t < of.group ? of.row_count : t + of.group;
      for (; t < end; ++t)
        add(of.fused, of.weights[i * of.weight_stride + t], of.x + t * of.d, of.d, part);
      for (std::size_t c = 0; c < of.d; ++c) of.sums[i * of.sum_stride + c] += double{part[c]};
    }
}

}  // namespace axelram::portable
