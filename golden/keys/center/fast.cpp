#include <algorithm>

#include "axelram/fast_keys.hpp"
#include "keys/align/element_format.hpp"
#include "simd/float_environment.hpp"
#include "simd/level_units.hpp"

namespace axelram {

bool center(const std::uint16_t* x, const std::uint16_t* c, int d, ElementFormat format,
            int significand_bits, std::int32_t* m, int* e, const std::int8_t* powers,
            SimdLevel level) {
  constexpr int kBlock = 256;
  const LevelUnits& units = level_units(level, d % kLevelGroup == 0);
  const FormatBits bits = format_bits(format);
  const std::uint16_t of_key = units.max_magnitude(x, d), of_center = units.max_magnitude(c, d);
  if (std::max(of_key, of_center) >= bits.infinity) return false;
  const DefaultFloatEnvironment environment;
  *e = std::max(largest_exponent(units, x, powers, d, of_key, bits),
                largest_exponent(units, c, nullptr, d, of_center, bits)) -
       (significand_bits - 2);
  scale(units, x, powers, d, format, *e, m);
  std::int32_t aligned_center[kBlock];
  for (int first = 0; first < d; first += kBlock) {
    const int count = std::min(kBlock, d - first);
    scale(units, c + first, nullptr, count, format, *e, aligned_center);
    for (int i = 0; i < count; ++i) m[first + i] -= aligned_center[i];
  }
  return true;
}

}  // namespace axelram
