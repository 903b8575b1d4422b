#include "axelram/faults/weights.hpp"

#include <cmath>

namespace axelram::faults {

WeightCounts& WeightCounts::operator+=(const WeightCounts& other) {
  for (std::size_t w = 0; w < counts.size(); ++w) counts[w] += other[w];
  return *this;
}

WeightCounts& WeightCounts::operator-=(const WeightCounts& other) {
  for (std::size_t w = 0; w < counts.size(); ++w) counts[w] -= other[w];
  return *this;
}

double WeightCounts::at(double p) const {
  const auto n = static_cast<double>(counts.size() - 1);
  double sum = 0;
  for (std::size_t w = counts.size(); w-- > 0;) {
    const auto ones = static_cast<double>(w);
    if (counts[w] != 0) sum += counts[w] * std::pow(p, ones) * std::pow(1 - p, n - ones);
  }
  return sum;
}

double choose(int n, int w) {
  double result = 1;
  for (int i = 1; i <= w; ++i) result = result * (n - w + i) / i;
  return std::round(result);
}

double weight_probability(int n, int w, double p) {
  return choose(n, w) * std::pow(p, w) * std::pow(1 - p, n - w);
}

std::vector<std::uint32_t> columns_of(const Code& code) {
  std::vector<std::uint32_t> columns = code.parity_rows;
  for (int j = 0; j < code.check_bits(); ++j) columns.push_back(1U << j);
  return columns;
}

std::vector<WeightCounts> coset_weights(const std::vector<std::uint32_t>& columns, int check_bits) {
  std::vector<WeightCounts> cosets(std::size_t{1} << check_bits,
                                   WeightCounts(static_cast<int>(columns.size())));
  cosets[0][0] = 1;
  for (std::size_t bit = 0; bit < columns.size(); ++bit) {
    // In place: a pair of syndromes exchanges its counts, the heaviest first.
    for (std::size_t s = 0; s < cosets.size(); ++s) {
      const std::size_t t = s ^ columns[bit];
      if (t < s) continue;
      std::vector<double>& a = cosets[s].counts;
      std::vector<double>& b = cosets[t].counts;
      for (std::size_t w = bit + 1; w > 0; --w) {
        const double lighter = a[w - 1];
        a[w] += b[w - 1];
        if (t != s) b[w] += lighter;
      }
    }
  }
  return cosets;
}

}  // namespace axelram::faults
