#include "axelram/fast_scores.hpp"
#include "simd/level_units.hpp"

namespace axelram {

std::int64_t accumulate_copy(const std::int32_t* u, const std::int16_t* copy, int d,
                             SimdLevel level) {
  return level_units(level, d % kLevelGroup == 0).accumulate_copy(u, copy, d);
}

}  // namespace axelram
