#include "axelram/calibration/quantization_error.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/block_errors.hpp"

namespace axelram::calibration {
namespace {

PositiveLevels positive_levels(const Codebook& codebook) {
  PositiveLevels levels{};
  levels.count = static_cast<int>(codebook.centroids.size() / 2);
  const auto half = static_cast<std::size_t>(levels.count);
  for (std::size_t j = 0; j < half; ++j)
    levels.centroids[j] = static_cast<float>(codebook.centroids[half + j]);
  for (std::size_t j = 0; j + 1 < half; ++j)
    levels.boundaries[j] = static_cast<float>(codebook.boundaries[half + j]);
  return levels;
}

BlockErrors* kernel(SimdLevel level) {
  switch (std::min(level, best_simd_level())) {
    case SimdLevel::avx512:
      return avx512::block_errors;
    case SimdLevel::avx2:
      return avx2::block_errors;
    default:
      return portable::block_errors;
  }
}

}  // namespace

UnitKeys::UnitKeys(const float* keys, std::size_t count, std::size_t d, const double* center)
    : d_(d) {
  std::vector<double> key(d);
  for (std::size_t row = 0; row < count; ++row) {
    double square_sum = 0;
    for (std::size_t i = 0; i < d; ++i) {
      key[i] = double{keys[row * d + i]} - (center == nullptr ? 0.0 : center[i]);
      square_sum += key[i] * key[i];
    }
    if (square_sum == 0) continue;
    const std::size_t lane = count_++ % kLanes;
    values_.resize(blocks() * d * kLanes);
    float* const first = values_.data() + (blocks() - 1) * d * kLanes + lane;
    for (std::size_t i = 0; i < d; ++i)
      first[i * kLanes] = static_cast<float>(key[i] / std::sqrt(square_sum));
  }
}

std::size_t UnitKeys::blocks() const { return (count_ + kLanes - 1) / kLanes; }

const float* UnitKeys::block(std::size_t index) const {
  return values_.data() + index * d_ * kLanes;
}

void quantization_errors(const UnitKeys& keys, const Codebook& codebook, const std::int8_t* signs,
                         std::size_t vectors, double* sums, SimdLevel level) {
  const PositiveLevels levels = positive_levels(codebook);
  BlockErrors* const block_errors = kernel(level);
  std::fill(sums, sums + vectors, 0.0);
  float errors[kLanes];
  for (std::size_t b = 0; b < keys.blocks(); ++b) {
    const std::size_t lanes = std::min(kLanes, keys.count() - b * kLanes);
    for (std::size_t v = 0; v < vectors; ++v) {
      block_errors(keys.block(b), signs + v * keys.d(), keys.d(), levels, errors);
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[v] += double{errors[lane]};
    }
  }
}

}  // namespace axelram::calibration
