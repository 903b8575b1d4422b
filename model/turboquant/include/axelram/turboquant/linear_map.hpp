#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "axelram/draws/draws.hpp"
#include "axelram/simd.hpp"

namespace axelram::turboquant {

/// A random d x d matrix M, applied to rows of d numbers.
class LinearMap {
 public:
  explicit LinearMap(int d) : d_(static_cast<std::size_t>(d)) {}
  virtual ~LinearMap() = default;

  std::size_t dim() const { return d_; }
  /// y = M x of each of `count` rows. x and y may be the same.
  virtual void apply(const double* x, std::size_t count, double* y) const = 0;
  /// y = M^T x, likewise.
  virtual void apply_transposed(const double* x, std::size_t count, double* y) const = 0;

 private:
  std::size_t d_;
};

/// H_d diag(s) / sqrt(d), orthonormal. signs: d, a power of two.
std::unique_ptr<const LinearMap> hadamard_map(const std::vector<std::int8_t>& signs);

/// Independent normal numbers of variance 1: element (i, j) is number i * d + j. Products have the
/// same bits on every level.
std::unique_ptr<const LinearMap> gaussian_map(const draws::Draws& draws, int d,
                                              SimdLevel level = simd_level());

/// The rows of gaussian_map(), orthonormalised in order (Gram and Schmidt), and so uniform over the
/// orthogonal group.
std::unique_ptr<const LinearMap> orthogonal_map(const draws::Draws& draws, int d,
                                                SimdLevel level = simd_level());

}  // namespace axelram::turboquant
