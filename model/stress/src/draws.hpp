#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <vector>

#include "axelram/philox.hpp"

namespace axelram::stress {

enum class Purpose : std::uint32_t { pairs, scales, channels, offset };

/// Random numbers for one purpose in one layer and head. Each depends only on its index.
class Draws {
 public:
  Draws(std::uint64_t seed, Purpose purpose, std::size_t layer, std::size_t head)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        counter_{0, static_cast<std::uint32_t>(purpose), static_cast<std::uint32_t>(layer),
                 static_cast<std::uint32_t>(head)} {}

  /// Uniform number `index` in (0, 1).
  double uniform(std::size_t index) const {
    std::array<std::uint32_t, 4> counter = counter_;
    counter[0] = static_cast<std::uint32_t>(index);
    const std::array<std::uint32_t, 4> words = philox4x32(counter, key_);
    const std::uint64_t bits = (std::uint64_t{words[0]} << 32 | words[1]) >> 12;
    return std::ldexp(static_cast<double>(bits) + 0.5, -52);
  }

  /// Normal number `index` with mean 0 and variance 1 (Box and Muller).
  double normal(std::size_t index) const {
    const double radius = std::sqrt(-2 * std::log(uniform(2 * index)));
    return radius * std::cos(2 * std::numbers::pi * uniform(2 * index + 1));
  }

  /// `count` different numbers below `below`, in the order drawn; a larger count extends the list.
  std::vector<std::size_t> choose(std::size_t count, std::size_t below) const {
    std::vector<std::size_t> all(below);
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (std::size_t i = 0; i < count; ++i) {
      const double place = uniform(i) * static_cast<double>(below - i);
      std::swap(all[i], all[i + std::min(below - i - 1, static_cast<std::size_t>(place))]);
    }
    all.resize(count);
    return all;
  }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
};

}  // namespace axelram::stress
