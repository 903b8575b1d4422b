#include "kernel/block_errors.hpp"

namespace axelram::calibration::AXELRAM_LEVEL {
namespace {

void rotate(const float* block, const std::int8_t* signs, std::size_t d, float* y) {
  for (std::size_t i = 0; i < d; ++i) {
    const float sign = signs[i];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      y[i * kLanes + lane] = sign * block[i * kLanes + lane];
  }
  for (std::size_t stride = kLanes; stride < d * kLanes; stride *= 2)
    for (std::size_t pair = 0; pair < d * kLanes; pair += 2 * stride) {
      float* const __restrict low = y + pair;
      float* const __restrict high = y + pair + stride;
      for (std::size_t i = 0; i < stride; ++i) {
        const float sum = low[i] + high[i];
        high[i] = low[i] - high[i];
        low[i] = sum;
      }
    }
}

template <int count>
void square_errors(const float* y, std::size_t d, const PositiveLevels& levels, float* errors) {
  float sums[kLanes] = {};
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float value = y[i * kLanes + lane];
      const float size = value < 0 ? -value : value;
      float nearest = levels.centroids[0];
      for (int j = 1; j < count; ++j)
        nearest = size > levels.boundaries[j - 1] ? levels.centroids[j] : nearest;
      const float error = size - nearest;
      sums[lane] += error * error;
    }
  for (std::size_t lane = 0; lane < kLanes; ++lane) errors[lane] = sums[lane];
}

}  // namespace

void block_errors(const float* block, const std::int8_t* signs, std::size_t d,
                  const PositiveLevels& levels, float* errors) {
  alignas(64) float y[kMostDim * kLanes];
  rotate(block, signs, d, y);
  switch (levels.count) {
    case 2:
      return square_errors<2>(y, d, levels, errors);
    case 4:
      return square_errors<4>(y, d, levels, errors);
    default:
      return square_errors<8>(y, d, levels, errors);
  }
}

}  // namespace axelram::calibration::AXELRAM_LEVEL
