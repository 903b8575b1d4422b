#pragma once

#include <cstddef>
#include <vector>

namespace axelram::transformer {

/// x * weight / sqrt(mean of x^2 + epsilon) over `size` values and weights; y may be x.
void rms_norm(const float* x, std::size_t size, const float* weight, double epsilon, float* y);

/// (x - mean) * weight / sqrt(variance + epsilon) + bias; y may be x.
void layer_norm(const float* x, std::size_t size, const std::vector<float>& weight,
                const std::vector<float>& bias, double epsilon, float* y);

}  // namespace axelram::transformer
