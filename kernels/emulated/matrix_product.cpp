#include <vector>

#include "layers/gemm.hpp"
#include "layers/value.cuh"

namespace axelram::kernels {
namespace {

float value_of(WeightType type, const void* values, std::size_t i) {
  switch (type) {
    case WeightType::f32:
      return value_at<WeightType::f32>(values, i);
    case WeightType::f16:
      return value_at<WeightType::f16>(values, i);
    case WeightType::bf16:
      break;
  }
  return value_at<WeightType::bf16>(values, i);
}

}  // namespace

struct Gemm::State {};

Gemm::Gemm(Stream&) {}
Gemm::~Gemm() = default;

void Gemm::operator()(const WeightMatrix& w, const void* x, std::size_t rows, const float* alpha,
                      const float* beta, float* y) {
  std::vector<float> left(rows * w.inputs), right(w.inputs);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = value_of(w.type, x, i);
  for (std::size_t o = 0; o < w.outputs; ++o) {
    for (std::size_t i = 0; i < w.inputs; ++i)
      right[i] = value_of(w.type, w.data, w.transposed ? i * w.outputs + o : o * w.inputs + i);
    for (std::size_t r = 0; r < rows; ++r) {
      float sum = 0;
      for (std::size_t i = 0; i < w.inputs; ++i) sum += left[r * w.inputs + i] * right[i];
      float& out = y[r * w.outputs + o];
      out = *beta == 0 ? *alpha * sum : *alpha * sum + *beta * out;
    }
  }
}

}  // namespace axelram::kernels
