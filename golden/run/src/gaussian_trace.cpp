#include "axelram/run/gaussian_trace.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "axelram/half.hpp"

namespace axelram::run {

files::Trace gaussian_trace(const Parameters& parameters, std::size_t keys, std::size_t queries,
                            std::uint64_t seed) {
  // Box-Muller, because std::normal_distribution differs between libraries.
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  const auto gaussian = [&] {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  };
  files::Trace trace;
  trace.element_format = parameters.element_format;
  trace.head_dim = parameters.head_dim;
  const auto d = static_cast<std::size_t>(parameters.head_dim);
  const auto fill = [&](std::vector<std::uint16_t>* rows, std::size_t count) {
    rows->resize(count * d);
    for (std::uint16_t& element : *rows)
      element = double_to_element(gaussian(), parameters.element_format);
  };
  fill(&trace.keys, keys);
  fill(&trace.queries, queries);
  return trace;
}

}  // namespace axelram::run
