#include "attention/group_sums/arguments.hpp"
#include "axelram/fast_group_sums.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"

namespace axelram {

void sum_groups(const GroupedRows& of, const float* weights, std::size_t queries,
                std::size_t weight_stride, double* sums, std::size_t sum_stride, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  level_units(level, of.d % kLevelGroup == 0)
      .sum_groups({of.rows, of.count, of.d, of.group, of.fused, weights, queries, weight_stride,
                   sums, sum_stride});
}

}  // namespace axelram
