#include "axelram/fast_keys.hpp"
#include "element_format.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"

namespace axelram {

bool align(const std::uint16_t* x, int d, ElementFormat format, int significand_bits,
           std::int32_t* m, int* e, const std::int8_t* powers, SimdLevel level) {
  const LevelUnits& units = level_units(level, d % kLevelGroup == 0);
  const FormatBits bits = format_bits(format);
  const std::uint16_t magnitude = units.max_magnitude(x, d);
  if (magnitude >= bits.infinity) return false;
  const DefaultFloatEnvironment environment;
  *e = largest_exponent(units, x, powers, d, magnitude, bits) - (significand_bits - 2);
  scale(units, x, powers, d, format, *e, m);
  return true;
}

}  // namespace axelram
