#include "normalize.hpp"

#include <cmath>

namespace axelram::transformer {

void rms_norm(const float* x, std::size_t size, const float* weight, double epsilon, float* y) {
  double squares = 0;
  for (std::size_t i = 0; i < size; ++i) squares += static_cast<double>(x[i]) * x[i];
  const auto scale =
      static_cast<float>(1 / std::sqrt(squares / static_cast<double>(size) + epsilon));
  for (std::size_t i = 0; i < size; ++i) y[i] = x[i] * scale * weight[i];
}

void layer_norm(const float* x, std::size_t size, const std::vector<float>& weight,
                const std::vector<float>& bias, double epsilon, float* y) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < size; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(size);
  for (std::size_t i = 0; i < size; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const auto scale =
      static_cast<float>(1 / std::sqrt(squares / static_cast<double>(size) + epsilon));
  const auto center = static_cast<float>(mean);
  for (std::size_t i = 0; i < size; ++i) y[i] = (x[i] - center) * scale * weight[i] + bias[i];
}

}  // namespace axelram::transformer
