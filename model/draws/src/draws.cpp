#include "axelram/draws/draws.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "axelram/philox.hpp"

namespace axelram::draws {

Draws::Draws(std::uint64_t seed, Purpose purpose, std::size_t layer, std::size_t head)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, static_cast<std::uint32_t>(purpose), static_cast<std::uint32_t>(layer),
               static_cast<std::uint32_t>(head)} {}

double Draws::uniform(std::size_t index) const {
  std::array<std::uint32_t, 4> counter = counter_;
  counter[0] = static_cast<std::uint32_t>(index);
  const std::array<std::uint32_t, 4> words = philox4x32(counter, key_);
  const std::uint64_t bits = (std::uint64_t{words[0]} << 32 | words[1]) >> 12;
  return std::ldexp(static_cast<double>(bits) + 0.5, -52);
}

double Draws::normal(std::size_t index) const {
  const double radius = std::sqrt(-2 * std::log(uniform(2 * index)));
  return radius * std::cos(2 * std::numbers::pi * uniform(2 * index + 1));
}

std::vector<std::size_t> Draws::choose(std::size_t count, std::size_t below) const {
  std::vector<std::size_t> all(below);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) {
    const double place = uniform(i) * static_cast<double>(below - i);
    std::swap(all[i], all[i + std::min(below - i - 1, static_cast<std::size_t>(place))]);
  }
  all.resize(count);
  return all;
}

}  // namespace axelram::draws
