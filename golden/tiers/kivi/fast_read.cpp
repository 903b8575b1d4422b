#include "axelram/fast_kivi_read.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"
#include "tiers/kivi/arguments.hpp"

namespace axelram {
namespace {

/// Levels take registers of channels and tokens, and formats, as a tiered cache has them; others
/// are left to the portable level.
const LevelUnits& kivi_units(const KiviLayout& layout, std::size_t d, SimdLevel level) {
  const bool power_of_two = (layout.size & (layout.size - 1)) == 0;
  const bool format = layout.step == 1 || layout.bits == 2;
  return level_units(level, d % kLevelGroup == 0 && power_of_two && format);
}

}  // namespace

void score_kivi(const KiviLayout& keys, const std::uint8_t* blocks, std::size_t block_count,
                const float* queries, std::size_t count, std::size_t query_stride, float* scores,
                std::size_t score_stride, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  kivi_units(keys, keys.groups, level)
      .score_kivi({blocks, block_count, keys.bytes(), keys.groups, keys.size, keys.bits, keys.step,
                   queries, count, query_stride, scores, score_stride});
}

void sum_kivi(const KiviLayout& values, const std::uint8_t* rows, std::size_t row_count,
              const float* weights, std::size_t count, std::size_t weight_stride, float* sums,
              std::size_t sum_stride, SimdLevel level) {
  const DefaultFloatEnvironment environment;
  kivi_units(values, values.elements(), level)
      .sum_kivi({rows,
                 row_count,
                 values.bytes(),
                 values.elements(),
                 values.size,
                 values.bits,
                 values.step,
                 {weights, count, weight_stride, sums, sum_stride}});
}

}  // namespace axelram
