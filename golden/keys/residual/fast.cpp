#include "axelram/fast_keys.hpp"
#include "axelram/residual.hpp"
#include "simd/level_units.hpp"

namespace axelram {

int residual(const std::int32_t* y, const std::uint8_t* indices, int d,
             const std::int32_t* reconstructions, int levels, int bits, std::int32_t* rho,
             SimdLevel level) {
  const bool macro_shape = d % kLevelGroup == 0 && (levels == 2 || levels == 4 || levels == 8);
  level_units(level, macro_shape).residual(y, indices, d, reconstructions, levels, rho);
  return level_units(level).round_elements(rho, d, bits, rho);  // as a query
}

void residual_signs(const std::int32_t* z, int d, std::uint8_t* signs) {
  for (int i = 0; i < d; ++i) signs[i] = std::uint8_t{z[i] < 0};
}

}  // namespace axelram
