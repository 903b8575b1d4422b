#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

/// Random pairs of unit vectors, and moments of what is measured of them with standard errors.
namespace test {

using Doubles = std::vector<double>;

inline double inner_product(const Doubles& a, const Doubles& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// A unit vector, uniform over directions.
template <class Random>
Doubles direction(Random& random, std::size_t d) {
  std::normal_distribution<double> gaussian;
  Doubles x(d);
  for (double& element : x) element = gaussian(random);
  const double norm = std::sqrt(inner_product(x, x));
  for (double& element : x) element /= norm;
  return x;
}

/// A unit vector at this cosine to the unit vector k.
template <class Random>
Doubles at_cosine(Random& random, const Doubles& k, double cosine) {
  Doubles q = direction(random, k.size());
  const double along = inner_product(q, k);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] -= along * k[i];
  const double norm = std::sqrt(inner_product(q, q));
  for (std::size_t i = 0; i < q.size(); ++i)
    q[i] = cosine * k[i] + std::sqrt(1 - cosine * cosine) * q[i] / norm;
  return q;
}

struct Moments {
  double mean = 0, mean_error = 0;          ///< and its standard error
  double variance = 0, variance_error = 0;  ///< likewise
};

/// Of independent draws.
inline Moments moments(const Doubles& x) {
  const auto n = static_cast<double>(x.size());
  Moments m;
  for (const double value : x) m.mean += value / n;
  double fourth = 0;
  for (const double value : x) {
    m.variance += std::pow(value - m.mean, 2) / n;
    fourth += std::pow(value - m.mean, 4) / n;
  }
  m.mean_error = std::sqrt(m.variance / n);
  m.variance_error = std::sqrt((fourth - m.variance * m.variance) / n);
  return m;
}

/// Of draws of which each `batch` neighbours have something random in common: means of batches are
/// independent, draws are not.
inline Moments moments_of_batches(const Doubles& x, std::size_t batch) {
  Doubles means, squares;
  for (std::size_t first = 0; first < x.size(); first += batch) {
    double mean = 0, square = 0;
    for (std::size_t i = first; i < first + batch; ++i) {
      mean += x[i] / static_cast<double>(batch);
      square += x[i] * x[i] / static_cast<double>(batch);
    }
    means.push_back(mean);
    squares.push_back(square);
  }
  const Moments first = moments(means), second = moments(squares);
  return {first.mean, first.mean_error, second.mean - first.mean * first.mean, second.mean_error};
}

}  // namespace test
