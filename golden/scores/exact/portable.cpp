#include "simd/level_units.hpp"

namespace axelram::portable {

std::int64_t accumulate_copy(const std::int32_t* u, const std::int16_t* copy, int d) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += u[i] * copy[i];
  return sum;
}

}  // namespace axelram::portable
