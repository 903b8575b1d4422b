#include "simd/level_units.hpp"
#include "simd/words.hpp"

/// Sum of rotated elements times the centroid words of their indices.

namespace axelram::AXELRAM_LEVEL {
namespace {

template <int levels>
std::int64_t correlation_of(const std::int32_t* y, const std::uint8_t* indices, int d,
                            const std::int32_t* centroids) {
  const Words<levels> words(centroids);
  Integers even = zeros();
  Integers odd = zeros();
  for (int i = 0; i < d; i += kLanes32) {
    const Integers element = load(y + i);
    const Integers word = words.at(load_indices(indices + i));
    even = add64(even, multiply_even(element, word));
    odd = add64(odd, multiply_even(odd_lanes(element), odd_lanes(word)));
  }
  return static_cast<std::int64_t>(sum64(add64(even, odd)));
}

}  // namespace

std::int64_t correlation(const std::int32_t* y, const std::uint8_t* indices, int d,
                         const std::int32_t* centroids, int levels) {
  if (levels == 4) return correlation_of<4>(y, indices, d, centroids);
  if (levels == 8) return correlation_of<8>(y, indices, d, centroids);
  if (levels == 2) return correlation_of<2>(y, indices, d, centroids);
  if (levels == 16) return correlation_of<16>(y, indices, d, centroids);
  return correlation_of<32>(y, indices, d, centroids);
}

}  // namespace axelram::AXELRAM_LEVEL
