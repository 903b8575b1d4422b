#include "simd/level_units.hpp"

namespace axelram::portable {

std::uint64_t square_sum(const std::int32_t* m, int d) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += static_cast<std::int64_t>(m[i]) * m[i];
  return static_cast<std::uint64_t>(sum);
}

}  // namespace axelram::portable
