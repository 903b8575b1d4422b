#pragma once

#include <cstddef>
#include <memory>

#include "axelram/kernels/device.hpp"
#include "axelram/kernels/layers.hpp"
#include "axelram/kernels/weights.hpp"

namespace axelram::kernels {

/// Products of activations and weights, y = x W^T, by cuBLAS, or by plain loops if emulated. The
/// sums are FP32. With F32 weights all factors are FP32 (no TF32). With 16-bit weights x becomes a
/// high and a low part of the weights' type, x = high + low, and two products are added: factors of
/// 22 bits with F16, 16 with BF16, where one rounding to the type would leave 11 and 8. F16 parts
/// are taken of x times a power of two that brings its largest magnitude to 2^14 .. 2^15, so that
/// nothing overflows and subnormals lose nothing that counts.
class MatrixProduct {
 public:
  /// most_values: of the largest x that will come. Memory for its parts is taken now, bytes() of it
  /// (beside what cuBLAS takes, some tens of MB).
  MatrixProduct(Stream& stream, std::size_t most_values);
  ~MatrixProduct();
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;
  static std::size_t bytes(std::size_t most_values);

  /// The left factor of the products that follow: x [rows, inputs], which stays as it is until
  /// they are submitted.
  void left(const float* x, std::size_t rows, std::size_t inputs);
  /// y = x W^T, or y += it; y [rows, weights.outputs]. Throws DeviceError naming the shapes.
  void operator()(const WeightMatrix& weights, float* y, Into into = Into::overwrite);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace axelram::kernels
