#include "lloyd_max.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "density.hpp"

namespace axelram {
namespace {

/// Centroid of the density on a cell and its derivatives by both ends. Only the centroid needs all
/// digits: derivatives steer Newton's method and do not enter its fixed point.
struct Cell {
  DoubleDouble centroid;
  double by_left;
  double by_right;
};

/// Cells of the positive half: the first begins at 0, the last is unbounded.
std::vector<Cell> measure_cells(const Density& density,
                                const std::vector<DoubleDouble>& centroids) {
  const std::size_t count = centroids.size();
  std::vector<Cell> cells(count);
  DoubleDouble left = 0;
  DoubleDouble left_mass = 0;
  DoubleDouble left_moment = density.moment_above(0);
  for (std::size_t j = 0; j < count; ++j) {
    const bool last = j + 1 == count;
    const DoubleDouble right = last ? left : (centroids[j] + centroids[j + 1]) / 2;
    const DoubleDouble right_mass = last ? density.half_mass() : density.mass_below(right);
    const DoubleDouble right_moment = last ? 0 : density.moment_above(right);
    const DoubleDouble mass = right_mass - left_mass;
    const DoubleDouble centroid = (left_moment - right_moment) / mass;
    // The outer ends do not move.
    cells[j] = {centroid, j == 0 ? 0 : (density(left) * (centroid - left) / mass).high,
                last ? 0 : (density(right) * (right - centroid) / mass).high};
    left = right;
    left_mass = right_mass;
    left_moment = right_moment;
  }
  return cells;
}

void lloyd_step(const Density& density, std::vector<DoubleDouble>& centroids) {
  const std::vector<Cell> cells = measure_cells(density, centroids);
  for (std::size_t j = 0; j < centroids.size(); ++j) centroids[j] = cells[j].centroid;
}

/// One Newton step on F_j = gamma_j - centroid_j(gamma_{j-1}, gamma_j, gamma_{j+1}) = 0. The
/// Jacobian is tridiagonal and, for log-concave densities, diagonally dominant, so elimination
/// needs no pivots.
void newton_step(const Density& density, std::vector<DoubleDouble>& centroids) {
  const std::vector<Cell> cells = measure_cells(density, centroids);
  const std::size_t count = centroids.size();
  std::vector<double> upper(count);
  std::vector<double> step(count);
  for (std::size_t j = 0; j < count; ++j) {
    const double left = cells[j].by_left / 2;
    const double right = cells[j].by_right / 2;
    double pivot = 1 - left - right;
    double value = (centroids[j] - cells[j].centroid).high;
    if (j > 0) {
      pivot += left * upper[j - 1];
      value += left * step[j - 1];
    }
    upper[j] = -right / pivot;
    step[j] = value / pivot;
  }
  for (std::size_t j = count; j-- > 0;) {
    if (j + 1 < count) step[j] -= upper[j] * step[j + 1];
    centroids[j] = centroids[j] - step[j];
  }
}

void check_index_bits(int index_bits) {
  if (index_bits < 1 || index_bits > 4)
    throw std::invalid_argument("index_bits is " + std::to_string(index_bits) +
                                "; it must lie in 1..4");
}

}  // namespace

std::vector<DoubleDouble> positive_centroids(CodebookKind kind, int head_dim, int index_bits) {
  // Relative errors at d = 32..1000: 1e-25 after 4 Newton steps, 1e-28, the floor, after 5.
  constexpr int kLloydSteps = 3;
  constexpr int kNewtonSteps = 6;
  constexpr double kSpan = 2.6;
  check_index_bits(index_bits);
  const std::unique_ptr<const Density> density = make_density(kind, head_dim);
  const int count = 1 << (index_bits - 1);
  std::vector<DoubleDouble> centroids;
  for (int j = 0; j < count; ++j) centroids.emplace_back((j + 0.5) * kSpan / count);
  for (int i = 0; i < kLloydSteps; ++i) lloyd_step(*density, centroids);
  for (int i = 0; i < kNewtonSteps; ++i) newton_step(*density, centroids);
  return centroids;
}

Codebook round_codebook(const std::vector<DoubleDouble>& positive) {
  Codebook codebook;
  for (std::size_t j = positive.size(); j-- > 0;) codebook.centroids.push_back(-positive[j].high);
  for (const DoubleDouble& centroid : positive) codebook.centroids.push_back(centroid.high);
  codebook.boundaries.resize(2 * positive.size() - 1);
  const std::size_t middle = positive.size() - 1;
  for (std::size_t j = 1; j < positive.size(); ++j) {
    const double boundary = ((positive[j - 1] + positive[j]) / 2).high;
    codebook.boundaries[middle - j] = -boundary;
    codebook.boundaries[middle + j] = boundary;
  }
  return codebook;
}

Codebook solve_codebook(CodebookKind kind, int head_dim, int index_bits) {
  return round_codebook(positive_centroids(kind, head_dim, index_bits));
}

double distortion(const Codebook& codebook, CodebookKind kind, int head_dim) {
  const std::unique_ptr<const Density> density = make_density(kind, head_dim);
  const DoubleDouble half_mass = density->half_mass();
  DoubleDouble left_mass = -half_mass;  // of (0, x), negative where x is
  DoubleDouble left_moment = 0;         // of (x, infinity)
  DoubleDouble gain = 0;                // the variance is 1; (x - c)^2 = x^2 - c (2x - c)
  for (std::size_t j = 0; j < codebook.centroids.size(); ++j) {
    DoubleDouble right_mass = half_mass;
    DoubleDouble right_moment = 0;
    if (j < codebook.boundaries.size()) {
      const double right = codebook.boundaries[j];
      const double distance = std::abs(right);
      if (!density->negligible_beyond(distance)) {
        right_mass = density->mass_below(distance);
        right_moment = density->moment_above(distance);
      }
      if (right < 0) right_mass = -right_mass;
    }
    const DoubleDouble centroid = codebook.centroids[j];
    gain =
        gain + centroid * ((left_moment - right_moment) * 2 - centroid * (right_mass - left_mass));
    left_mass = right_mass;
    left_moment = right_moment;
  }
  return (1 - gain / (half_mass * 2)).high;
}

}  // namespace axelram
