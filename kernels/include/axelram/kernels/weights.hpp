#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram::kernels {

enum class WeightType : std::uint8_t { f32, f16, bf16 };

constexpr std::size_t bytes_of(WeightType type) { return type == WeightType::f32 ? 4 : 2; }

/// A matrix of weights in device memory, aligned as its values: `outputs` rows of `inputs` values
/// without gaps, or `inputs` rows of `outputs` values if transposed.
struct WeightMatrix {
  const void* data = nullptr;
  WeightType type = WeightType::f32;
  std::size_t outputs = 0, inputs = 0;
  bool transposed = false;
};

}  // namespace axelram::kernels
