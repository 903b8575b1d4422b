#include <stdexcept>
#include <string>

#include "axelram/codebook.hpp"
#include "density.hpp"

namespace axelram {
namespace {

/// Centroid of the density on [a, b] and its derivatives by both ends.
struct Cell {
  double centroid;
  double by_left;
  double by_right;
};

Cell measure(const Density& density, double a, double b) {
  const double mass = integrate(density, a, b);
  // Relative to the left end every term is positive: no cancellation.
  const double moment = integrate([&](double x) { return (x - a) * density(x); }, a, b);
  const double offset = moment / mass;
  return {a + offset, density(a) * offset / mass, density(b) * (b - a - offset) / mass};
}

/// The cells of the positive half, between 0 and the end of the support.
std::vector<Cell> measure_cells(const Density& density, const std::vector<double>& centroids) {
  const std::size_t count = centroids.size();
  std::vector<Cell> cells(count);
  double left = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const bool last = j + 1 == count;
    const double right = last ? density.end() : (centroids[j] + centroids[j + 1]) / 2;
    cells[j] = measure(density, left, right);
    left = right;
  }
  return cells;
}

void lloyd_step(const Density& density, std::vector<double>& centroids) {
  const std::vector<Cell> cells = measure_cells(density, centroids);
  for (std::size_t j = 0; j < centroids.size(); ++j) centroids[j] = cells[j].centroid;
}

/// One Newton step on F_j = gamma_j - centroid_j(gamma_{j-1}, gamma_j, gamma_{j+1}) = 0. The
/// Jacobian is tridiagonal and, for log-concave densities, diagonally dominant, so elimination
/// needs no pivots. The outer ends (0 and the end of the support) do not move.
void newton_step(const Density& density, std::vector<double>& centroids) {
  const std::vector<Cell> cells = measure_cells(density, centroids);
  const std::size_t count = centroids.size();
  std::vector<double> upper(count);
  std::vector<double> step(count);
  for (std::size_t j = 0; j < count; ++j) {
    const double left = j == 0 ? 0 : cells[j].by_left / 2;
    const double right = j + 1 == count ? 0 : cells[j].by_right / 2;
    double pivot = 1 - left - right;
    double value = centroids[j] - cells[j].centroid;
    if (j > 0) {
      pivot += left * upper[j - 1];
      value += left * step[j - 1];
    }
    upper[j] = -right / pivot;
    step[j] = value / pivot;
  }
  for (std::size_t j = count; j-- > 0;) {
    if (j + 1 < count) step[j] -= upper[j] * step[j + 1];
    centroids[j] -= step[j];
  }
}

std::vector<double> positive_centroids(const Density& density, int count) {
  constexpr int kLloydSteps = 100;
  constexpr int kNewtonSteps = 6;  // quadratic convergence: 1e-2, 1e-4, .. 1e-16, and one more
  constexpr double kSpan = 2.6;
  std::vector<double> centroids;
  for (int j = 0; j < count; ++j) centroids.push_back((j + 0.5) * kSpan / count);
  for (int i = 0; i < kLloydSteps; ++i) lloyd_step(density, centroids);
  for (int i = 0; i < kNewtonSteps; ++i) newton_step(density, centroids);
  return centroids;
}

void check_arguments(CodebookKind kind, int head_dim, int index_bits) {
  if (index_bits < 1 || index_bits > 4)
    throw std::invalid_argument("index_bits is " + std::to_string(index_bits) +
                                "; it must lie in 1..4");
  if (kind == CodebookKind::beta && head_dim < 32)
    throw std::invalid_argument("head_dim is " + std::to_string(head_dim) +
                                "; the beta codebook needs at least 32");
}

}  // namespace

Codebook solve_codebook(CodebookKind kind, int head_dim, int index_bits) {
  check_arguments(kind, head_dim, index_bits);
  const std::vector<double> half =
      positive_centroids(Density(kind, head_dim), 1 << (index_bits - 1));
  Codebook codebook;
  for (std::size_t j = half.size(); j-- > 0;) codebook.centroids.push_back(-half[j]);
  for (const double centroid : half) codebook.centroids.push_back(centroid);
  for (std::size_t j = 0; j + 1 < codebook.centroids.size(); ++j)
    codebook.boundaries.push_back((codebook.centroids[j] + codebook.centroids[j + 1]) / 2);
  return codebook;
}

double distortion(const Codebook& codebook, CodebookKind kind, int head_dim) {
  const Density density(kind, head_dim);
  double mass = 0;
  double error = 0;
  for (std::size_t j = 0; j < codebook.centroids.size(); ++j) {
    const double left = j == 0 ? -density.end() : codebook.boundaries[j - 1];
    const double right = j < codebook.boundaries.size() ? codebook.boundaries[j] : density.end();
    const double centroid = codebook.centroids[j];
    mass += integrate(density, left, right);
    error += integrate([&](double x) { return (x - centroid) * (x - centroid) * density(x); }, left,
                       right);
  }
  return error / mass;
}

}  // namespace axelram
