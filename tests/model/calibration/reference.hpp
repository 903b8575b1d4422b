#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "axelram/codebook.hpp"

namespace test {

/// Steps 1 to 2d of Algorithm 1 as they are printed, in double precision with a dense Hadamard
/// matrix: the sum over the elements of one key, multiplied by d.
inline double square_error(const std::vector<double>& key, const std::int8_t* signs,
                           const axelram::Codebook& codebook) {
  const std::size_t d = key.size();
  double square_sum = 0;
  for (const double value : key) square_sum += value * value;
  double total = 0;
  for (std::size_t r = 0; r < d; ++r) {
    double y = 0;
    for (std::size_t c = 0; c < d; ++c)
      y += (std::popcount(r & c) % 2 == 0 ? 1 : -1) * signs[c] * key[c] / std::sqrt(square_sum);
    std::size_t index = 0;
    for (const double boundary : codebook.boundaries) index += y > boundary;
    const double error = y - codebook.centroids[index];
    total += error * error;
  }
  return total;
}

inline std::vector<float> gaussian(std::size_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(generator);
  return values;
}

/// A key whose rotation by `signs` lies on the centroids of the 2-bit codebook, which centroid
/// chosen by `seed`; 3 of 8 of them outer ones, so that their mean square is close to 1.
inline std::vector<float> key_on_centroids(const std::int8_t* signs, std::size_t d,
                                           std::uint32_t seed) {
  const axelram::Codebook codebook =
      axelram::solve_codebook(axelram::CodebookKind::gaussian, static_cast<int>(d), 2);
  std::mt19937 generator(seed);
  std::vector<double> y(d);
  for (std::size_t i = 0; i < d; ++i) {
    const bool negative = generator() % 2 == 0;
    const std::size_t outer = i % 8 < 3 ? 1 : 0;
    y[i] = codebook.centroids[2 + outer] * (negative ? -1 : 1);
  }
  for (std::size_t i = d; i-- > 1;) std::swap(y[i], y[generator() % (i + 1)]);
  std::vector<float> key(d);
  for (std::size_t c = 0; c < d; ++c) {
    double sum = 0;
    for (std::size_t r = 0; r < d; ++r) sum += (std::popcount(r & c) % 2 == 0 ? 1 : -1) * y[r];
    key[c] = static_cast<float>(sum / static_cast<double>(d) * signs[c]);
  }
  return key;
}

}  // namespace test
