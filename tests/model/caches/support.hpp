#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "axelram/caches/cache.hpp"
#include "axelram/parameters.hpp"
#include "files/support.hpp"

namespace axelram::caches {

inline std::ostream& operator<<(std::ostream& out, const Specification& specification) {
  return out << to_string(specification);
}

template <class Row>
requires requires { Row::kName; }
inline std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << Specification{row, row};
}

}  // namespace axelram::caches

namespace test {

using axelram::caches::make_cache;
using axelram::caches::parse_specification;
using axelram::caches::Shape;

using Floats = std::vector<float>;

inline Floats gaussian(std::size_t count, unsigned seed, float size = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, size);
  Floats x(count);
  for (float& value : x) value = normal(random);
  return x;
}

inline std::unique_ptr<axelram::transformer::KvCache> cache(
    const std::string& specification, const Shape& shape,
    const axelram::UnitTable& units = axelram::fast_units()) {
  return make_cache(parse_specification(specification), shape, units);
}

/// The sections of a configuration that say how keys are quantized. Channels of a split: file
/// `high`.
inline std::string quantizer_yaml(const axelram::Parameters& p) {
  std::string text = "quantizer: {scale: " + name_of(p.scale) + ", kind: " + name_of(p.kind);
  if (p.trellis()) text += ", states: " + std::to_string(p.states);
  text += "}\n";
  if (p.split())
    text += "split: {bits: [" + std::to_string(p.split_high) + ", " + std::to_string(p.split_low) +
            "], channels: high}\n";
  if (p.exact_first + p.exact_last == 0) return text;
  return text + "exact: {first: " + std::to_string(p.exact_first) +
         ", last: " + std::to_string(p.exact_last) + ", bits: " + std::to_string(p.exact_bits) +
         "}\n";
}

/// A lower triangle of weights, rows adding up to 1, zeros above.
inline Floats causal_weights(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Floats weights(count * count, 0.0F);
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::size_t t = 0; t <= i; ++t) {
      weights[i * count + t] = std::uniform_real_distribution<float>(0, 1)(random);
      sum += weights[i * count + t];
    }
    for (std::size_t t = 0; t <= i; ++t)
      weights[i * count + t] = static_cast<float>(weights[i * count + t] / sum);
  }
  return weights;
}

/// Scores of all rows at once, places beyond the diagonal at 0.
inline Floats all_scores(axelram::transformer::KeyCache& keys, const Floats& rows,
                         const Floats& queries, std::size_t d, std::uint32_t sequence = 0) {
  const std::size_t count = rows.size() / d;
  Floats scores(count * count, 0.0F);
  keys.begin(sequence);
  keys.write(rows.data(), count);
  keys.score(queries.data(), count, 0, 0, count, scores.data());
  return scores;
}

}  // namespace test
