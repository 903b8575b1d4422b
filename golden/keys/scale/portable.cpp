#include "simd/level_units.hpp"

namespace axelram::portable {

std::int64_t correlation(const std::int32_t* y, const std::uint8_t* indices, int d,
                         const std::int32_t* centroids, int /*levels*/) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += static_cast<std::int64_t>(y[i]) * centroids[indices[i]];
  return sum;
}

}  // namespace axelram::portable
