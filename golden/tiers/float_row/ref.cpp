#include <cmath>

#include "axelram/float_row.hpp"

namespace axelram {

float lane_dot_ref(const float* a, const float* b, std::size_t d) {
  constexpr std::size_t kLanes = 16;
  float lanes[kLanes] = {};
  for (std::size_t c = 0; c < d; ++c) {
    float& lane = lanes[c % kLanes];
    lane = std::fma(a[c], b[c], lane);
  }
  for (std::size_t width = kLanes / 2; width > 0; width /= 2)
    for (std::size_t l = 0; l < width; ++l) lanes[l] += lanes[l + width];
  return lanes[0];
}

void add_weighted_ref(float weight, const float* row, std::size_t d, float* sums) {
  for (std::size_t c = 0; c < d; ++c) sums[c] = std::fma(weight, row[c], sums[c]);
}

}  // namespace axelram
