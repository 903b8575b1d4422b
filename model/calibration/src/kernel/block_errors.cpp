#include "kernel/block_errors.hpp"

#include <cstring>

namespace axelram::calibration::AXELRAM_LEVEL {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kWidth = 16;
#elif defined(__AVX2__)
constexpr std::size_t kWidth = 8;
#else
constexpr std::size_t kWidth = 4;
#endif
// Width of a register: wider vectors would be compared value by value.
using Vector [[gnu::vector_size(kWidth * sizeof(float))]] = float;
constexpr std::size_t kVectors = kLanes / kWidth;  // for one element of a block's keys

void rotate(const float* block, const std::int8_t* signs, std::size_t d, Vector* y) {
  std::memcpy(y, block, d * kLanes * sizeof(float));
  for (std::size_t i = 0; i < d; ++i) {
    const float sign = signs[i];
    for (std::size_t v = 0; v < kVectors; ++v) y[i * kVectors + v] *= sign;
  }
  for (std::size_t stride = kVectors; stride < d * kVectors; stride *= 2)
    for (std::size_t pair = 0; pair < d * kVectors; pair += 2 * stride)
      for (std::size_t i = pair; i < pair + stride; ++i) {
        const Vector sum = y[i] + y[i + stride];
        y[i + stride] = y[i] - y[i + stride];
        y[i] = sum;
      }
}

template <int count>
void square_errors(const Vector* y, std::size_t d, const PositiveLevels& levels, float* errors) {
  const Vector zero = {};
  Vector centroids[count], boundaries[count];
  for (int j = 0; j < count; ++j) centroids[j] = zero + levels.centroids[j];
  for (int j = 1; j < count; ++j) boundaries[j] = zero + levels.boundaries[j - 1];
  Vector sums[kVectors] = {};
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Vector value = y[i * kVectors + v];
      const Vector size = value < zero ? -value : value;
      Vector nearest = centroids[0];
      for (int j = 1; j < count; ++j) nearest = size > boundaries[j] ? centroids[j] : nearest;
      const Vector error = size - nearest;
      sums[v] += error * error;
    }
  std::memcpy(errors, sums, sizeof sums);
}

}  // namespace

void block_errors(const float* block, const std::int8_t* signs, std::size_t d,
                  const PositiveLevels& levels, float* errors) {
  Vector y[kMaxDim * kVectors];
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
