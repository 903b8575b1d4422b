#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "axelram/files/feedback.hpp"

namespace test {

namespace files = axelram::files;

/// Second moments of random directions, or whole ones.
inline files::QueryMoments some_moments(std::size_t heads, std::size_t d, bool full,
                                        std::size_t layers = 1) {
  files::QueryMoments all{layers, heads, d, {}, {}, {}};
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (std::size_t head = 0; head < layers * heads; ++head) {
    std::vector<float> x(d);
    double square = 0;
    for (float& element : x) {
      element = normal(random);
      square += static_cast<double>(element) * element;
    }
    for (float& element : x) element = static_cast<float>(element / std::sqrt(square));
    if (!full) {
      all.directions.insert(all.directions.end(), x.begin(), x.end());
      all.alphas.push_back(20);
      continue;
    }
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        all.moments.push_back(20 * (x[i] * x[j]) + (i == j ? 1.0F : 0.0F));
  }
  return all;
}

}  // namespace test
