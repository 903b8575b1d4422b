#include <algorithm>

#include "axelram/fast_keys.hpp"
#include "keys/align/element_format.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"

namespace axelram {

bool center(const std::uint16_t* x, const std::uint16_t* c, int d, ElementFormat format,
            int significand_bits, std::int32_t* m, int* e, SimdLevel level) {
  constexpr int kBlock = 256;
  const LevelUnits& units = level_units(level, d % kLevelGroup == 0);
  const std::uint16_t magnitude = std::max(units.max_magnitude(x, d), units.max_magnitude(c, d));
  if (magnitude >= format_bits(format).infinity) return false;
  const DefaultFloatEnvironment environment;
  *e = aligned_exponent(magnitude, format_bits(format), significand_bits);
  scale(units, x, d, format, *e, m);
  std::int32_t aligned_center[kBlock];
  for (int first = 0; first < d; first += kBlock) {
    const int count = std::min(kBlock, d - first);
    scale(units, c + first, count, format, *e, aligned_center);
    for (int i = 0; i < count; ++i) m[first + i] -= aligned_center[i];
  }
  return true;
}

}  // namespace axelram
