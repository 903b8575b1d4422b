#include "axelram/fast_keys.hpp"
#include "simd/level_units.hpp"

namespace axelram {

void quantize(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,
              std::uint8_t* indices, SimdLevel level) {
  const bool macro_shape =
      d % kLevelGroup == 0 && (count == 1 || count == 3 || count == 7 || count == 15);
  level_units(level, macro_shape).quantize(y, d, thresholds, count, indices);
}

}  // namespace axelram
