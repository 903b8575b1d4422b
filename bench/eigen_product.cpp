#include "eigen_product.hpp"

#include <Eigen/Dense>

namespace bench::AXELRAM_LEVEL {
namespace {

using axelram::transformer::MutableRows;
using axelram::transformer::Rows;
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

void eigen_multiply(const Rows& a, const Rows& b, const MutableRows& c) {
  map(c).noalias() = map(a) * map(b);
}

void eigen_multiply_transposed(const Rows& a, const Rows& b, const MutableRows& c) {
  map(c).noalias() = map(a) * map(b).transpose();
}

}  // namespace bench::AXELRAM_LEVEL
