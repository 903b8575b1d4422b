#include "axelram/turboquant/projection.hpp"

#include <cmath>
#include <numbers>

namespace axelram::turboquant {

double mean_magnitude(int d) {
  double mean = d % 2 != 0 ? 1 : 2 / std::numbers::pi;
  for (int dim = d % 2 != 0 ? 1 : 2; dim < d; dim += 2) mean *= dim / (dim + 1.0);
  return mean;
}

Projection gaussian_projection(const draws::Draws& draws, int d) {
  return {gaussian_map(draws, d), std::sqrt(std::numbers::pi / 2) / d};
}

Projection orthogonal_projection(const draws::Draws& draws, int d) {
  return {orthogonal_map(draws, d), 1 / (d * mean_magnitude(d))};
}

Projection hadamard_projection(const std::vector<std::int8_t>& signs) {
  return {hadamard_map(signs),
          std::sqrt(std::numbers::pi / (2 * static_cast<double>(signs.size())))};
}

}  // namespace axelram::turboquant
