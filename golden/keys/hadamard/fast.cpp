#include "axelram/fast_keys.hpp"
#include "simd/level_units.hpp"

namespace axelram {

void hadamard(std::int32_t* x, int d, SimdLevel level) { level_units(level).hadamard(x, d); }

void rotate(const std::int8_t* signs, std::int32_t* x, int d, SimdLevel level) {
  level_units(level, d % kLevelGroup == 0).apply_signs(signs, x, d);
  level_units(level).hadamard(x, d);
}

}  // namespace axelram
