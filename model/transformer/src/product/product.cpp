#include "product/product.hpp"

#include <Eigen/Dense>

namespace axelram::transformer::AXELRAM_LEVEL {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Constant = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using Mutable = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

Constant map(const Rows& m) {
  return {m.data, static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.columns),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(m.stride))};
}

Mutable map(const MutableRows& m) {
  return {m.data, static_cast<Eigen::Index>(m.rows), static_cast<Eigen::Index>(m.columns),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(m.stride))};
}

}  // namespace

void multiply(const Rows& a, const Rows& b, const MutableRows& c) {
  map(c).noalias() = map(a) * map(b);
}

void multiply_transposed(const Rows& a, const Rows& b, const MutableRows& c) {
  map(c).noalias() = map(a) * map(b).transpose();
}

void softmax(float* x, std::size_t count, float scale) {
  Eigen::Map<Eigen::ArrayXf> row(x, static_cast<Eigen::Index>(count));
  row = ((row - row.maxCoeff()) * scale).exp();
  row /= row.sum();
}

void silu(float* x, std::size_t count) {
  Eigen::Map<Eigen::ArrayXf> row(x, static_cast<Eigen::Index>(count));
  row = row / (1.0F + (-row).exp());
}

void gelu_tanh(float* x, std::size_t count) {
  constexpr float kRoot = 0.7978845608028654F;  // sqrt(2 / pi)
  Eigen::Map<Eigen::ArrayXf> row(x, static_cast<Eigen::Index>(count));
  row = 0.5F * row * (1.0F + (kRoot * (row + 0.044715F * row.cube())).tanh());
}

}  // namespace axelram::transformer::AXELRAM_LEVEL
