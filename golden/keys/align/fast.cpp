#include "axelram/fast_keys.hpp"
#include "element_format.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"

namespace axelram {

bool align(const std::uint16_t* x, int d, ElementFormat format, int significand_bits,
           std::int32_t* m, int* e, SimdLevel level) {
  const LevelUnits& units = level_units(level, d % kLevelGroup == 0);
  const std::uint16_t magnitude = units.max_magnitude(x, d);
  if (magnitude >= format_bits(format).infinity) return false;
  const DefaultFloatEnvironment environment;
  *e = aligned_exponent(magnitude, format_bits(format), significand_bits);
  scale(units, x, d, format, *e, m);
  return true;
}

}  // namespace axelram
