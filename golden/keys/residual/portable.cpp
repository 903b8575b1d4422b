#include "simd/level_units.hpp"

namespace axelram::portable {

void residual(const std::int32_t* y, const std::uint8_t* indices, int d,
              const std::int32_t* reconstructions, int /*levels*/, std::int32_t* difference) {
  for (int i = 0; i < d; ++i) difference[i] = y[i] - reconstructions[indices[i]];
}

}  // namespace axelram::portable
