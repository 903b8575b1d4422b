#pragma once

#include <random>
#include <vector>

#include "attention_case.hpp"

namespace test {

inline std::vector<double> gaussian(std::mt19937_64& random, int d, double size) {
  std::normal_distribution<double> normal(0, size);
  std::vector<double> x(static_cast<std::size_t>(d));
  for (double& e : x) e = normal(random);
  return x;
}

/// Random keys and values.
inline void fill_random(AttentionCase& c, const std::vector<std::int32_t>& lengths,
                        std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto row = [&](auto...) { return gaussian(random, c.shape.head_dim, 1); };
  c.fill(lengths, row, row);
}
inline void ask_random(AttentionCase& c, std::int32_t sequence, std::int32_t visible,
                       std::uint64_t seed, double size = 1) {
  std::mt19937_64 random(seed);
  c.ask(sequence, visible, [&](std::int32_t) { return gaussian(random, c.shape.head_dim, size); });
}

}  // namespace test
