#pragma once

#include <memory>

#include "axelram/kernels/device.hpp"
#include "axelram/kernels/weights.hpp"

namespace axelram::kernels {

/// y = alpha * x W^T + beta * y with FP32 sums, in order on the stream: x [rows, weights.inputs] of
/// the weights' type, y [rows, weights.outputs] floats; alpha and beta in device memory too. What
/// y held does not matter if beta is 0. By cuBLAS in device/, by loops in emulated/.
class Gemm {
 public:
  explicit Gemm(Stream& stream);
  ~Gemm();
  Gemm(const Gemm&) = delete;
  Gemm& operator=(const Gemm&) = delete;
  void operator()(const WeightMatrix& weights, const void* x, std::size_t rows, const float* alpha,
                  const float* beta, float* y);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace axelram::kernels
