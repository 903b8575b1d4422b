#include "simd/level_units.hpp"

namespace axelram::portable {

void weighted_sums(const std::uint8_t* levels, const std::uint32_t* weights, std::size_t tokens,
                   int d, const std::int32_t* centroids, int count, std::int64_t* acc) {
  for (std::size_t t = 0; t < tokens; ++t, levels += d) {
    std::int64_t products[32];
    for (int j = 0; j < count; ++j) products[j] = std::int64_t{weights[t]} * centroids[j];
    for (int i = 0; i < d; ++i) acc[i] += products[levels[i]];
  }
}

}  // namespace axelram::portable
