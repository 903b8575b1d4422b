#include "axelram/turboquant/linear_map.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "axelram/double_hadamard.hpp"
#include "kernel/products.hpp"

namespace axelram::turboquant {
namespace {

class HadamardMap final : public LinearMap {
 public:
  explicit HadamardMap(const std::vector<std::int8_t>& signs)
      : LinearMap(static_cast<int>(signs.size())) {
    const double unit = 1 / std::sqrt(static_cast<double>(signs.size()));
    for (const std::int8_t sign : signs) scaled_.push_back(sign * unit);
  }

  void apply(const double* x, std::size_t count, double* y) const override {
    for (std::size_t row = 0; row < count; ++row, x += dim(), y += dim()) {
      for (std::size_t i = 0; i < dim(); ++i) y[i] = scaled_[i] * x[i];
      hadamard(y, dim());
    }
  }
  void apply_transposed(const double* x, std::size_t count, double* y) const override {
    for (std::size_t row = 0; row < count; ++row, x += dim(), y += dim()) {
      if (y != x) std::copy_n(x, dim(), y);
      hadamard(y, dim());
      for (std::size_t i = 0; i < dim(); ++i) y[i] *= scaled_[i];
    }
  }

 private:
  std::vector<double> scaled_;  ///< signs / sqrt(d)
};

/// The twin of this level.
Product* of_level(SimdLevel level, Product* portable, Product* avx2, Product* avx512) {
  switch (std::min(level, best_simd_level())) {
    case SimdLevel::avx512:
      return avx512;
    case SimdLevel::avx2:
      return avx2;
    default:
      return portable;
  }
}

class DenseMap final : public LinearMap {
 public:
  DenseMap(std::vector<double> matrix, int d, SimdLevel level)
      : LinearMap(d),
        matrix_(std::move(matrix)),
        multiply_(of_level(level, portable::multiply, avx2::multiply, avx512::multiply)),
        multiply_transposed_(of_level(level, portable::multiply_transposed,
                                      avx2::multiply_transposed, avx512::multiply_transposed)) {}

  void apply(const double* x, std::size_t count, double* y) const override {
    in_blocks(x, count, y, multiply_);
  }
  void apply_transposed(const double* x, std::size_t count, double* y) const override {
    in_blocks(x, count, y, multiply_transposed_);
  }

 private:
  void in_blocks(const double* x, std::size_t count, double* y, Product* product) const {
    std::vector<double> in(dim() * kTogether), out(in.size());
    for (std::size_t first = 0; first < count; first += kTogether) {
      const std::size_t rows = std::min(kTogether, count - first);
      for (std::size_t k = 0; k < rows; ++k)
        for (std::size_t i = 0; i < dim(); ++i) in[i * kTogether + k] = x[(first + k) * dim() + i];
      product(matrix_.data(), dim(), in.data(), out.data());
      for (std::size_t k = 0; k < rows; ++k)
        for (std::size_t i = 0; i < dim(); ++i) y[(first + k) * dim() + i] = out[i * kTogether + k];
    }
  }

  std::vector<double> matrix_;
  Product *multiply_, *multiply_transposed_;
};

std::vector<double> normal_numbers(const draws::Draws& draws, int d) {
  std::vector<double> matrix(static_cast<std::size_t>(d) * static_cast<std::size_t>(d));
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = draws.normal(i);
  return matrix;
}

/// Takes the components along rows 0 .. count - 1 out of row `count`, and scales it to length 1.
void orthonormalise(std::vector<double>* matrix, std::size_t d, std::size_t count) {
  double* const row = matrix->data() + count * d;
  // One pass leaves what cancellation costs a row that lies close to the others.
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t other = 0; other < count; ++other) {
      const double* const unit = matrix->data() + other * d;
      double along = 0;
      for (std::size_t j = 0; j < d; ++j) along += row[j] * unit[j];
      for (std::size_t j = 0; j < d; ++j) row[j] -= along * unit[j];
    }
  double square = 0;
  for (std::size_t j = 0; j < d; ++j) square += row[j] * row[j];
  for (std::size_t j = 0; j < d; ++j) row[j] /= std::sqrt(square);
}

}  // namespace

std::unique_ptr<const LinearMap> hadamard_map(const std::vector<std::int8_t>& signs) {
  return std::make_unique<HadamardMap>(signs);
}

std::unique_ptr<const LinearMap> gaussian_map(const draws::Draws& draws, int d, SimdLevel level) {
  return std::make_unique<DenseMap>(normal_numbers(draws, d), d, level);
}

std::unique_ptr<const LinearMap> orthogonal_map(const draws::Draws& draws, int d, SimdLevel level) {
  std::vector<double> matrix = normal_numbers(draws, d);
  const auto rows = static_cast<std::size_t>(d);
  for (std::size_t row = 0; row < rows; ++row) orthonormalise(&matrix, rows, row);
  return std::make_unique<DenseMap>(std::move(matrix), d, level);
}

}  // namespace axelram::turboquant
