#include "axelram/calibration/exponents.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "axelram/head_rotation.hpp"

namespace axelram::calibration {
namespace {

/// Shares below which an energy is a rounding error: of the trace of a second moment, and of the
/// square of a mean.
constexpr double kRounding = 1e-12, kMeanRounding = 1e-24;

/// Number of the pair of each channel. Channels without rotary embedding stand each by itself.
std::vector<std::size_t> pairs_of(const checkpoints::Architecture& a, std::size_t layer,
                                  std::size_t d) {
  const std::vector<double>& frequencies =
      (a.has_local_rotary(layer) ? a.local_rotary : a.rotary).frequencies;
  std::vector<std::size_t> pairs(d);
  for (std::size_t channel = 0; channel < d; ++channel) {
    const std::size_t pair = checkpoints::pair_of(a.positions, channel, d);
    const bool turned = a.positions != checkpoints::Positions::learned &&
                        pair < frequencies.size() && frequencies[pair] != 0;
    pairs[channel] = turned ? pair : d / 2 + channel;
  }
  return pairs;
}

/// Mean squares of the channels of the keys less their mean, the first token of each window left
/// out.
std::vector<double> key_energies(const Keys& keys, std::size_t layer, std::size_t head) {
  const std::size_t d = keys.head_dim;
  const float* const rows = keys.of(layer, head);
  std::vector<double> mean(d), energies(d);
  std::vector<std::size_t> taken;
  for (std::size_t t = 0; t < keys.rows; ++t)
    if (!std::binary_search(keys.first_rows.begin(), keys.first_rows.end(), t)) taken.push_back(t);
  if (taken.empty()) return energies;
  const auto count = static_cast<double>(taken.size());
  for (const std::size_t t : taken)
    for (std::size_t i = 0; i < d; ++i) mean[i] += double{rows[t * d + i]};
  for (double& element : mean) element /= count;
  for (const std::size_t t : taken)
    for (std::size_t i = 0; i < d; ++i) {
      const double x = double{rows[t * d + i]} - mean[i];
      energies[i] += x * x / count;
    }
  for (std::size_t i = 0; i < d; ++i)
    if (energies[i] < kMeanRounding * mean[i] * mean[i]) energies[i] = 0;
  return energies;
}

/// The diagonal of the second moment of queries, or of the deflated one.
std::vector<double> query_energies(const double* moment, std::size_t d, bool deflated) {
  std::vector<double> energies(d);
  for (std::size_t i = 0; i < d; ++i) energies[i] = moment[i * d + i];
  if (!deflated) return energies;
  double trace = 0;
  for (const double energy : energies) trace += energy;
  const auto size = static_cast<Eigen::Index>(d);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::Map<const Eigen::MatrixXd>(moment, size, size));
  const double apart = solver.eigenvalues()[size - 1] - solver.eigenvalues()[size - 2];
  const Eigen::VectorXd leading = solver.eigenvectors().col(size - 1);
  for (std::size_t i = 0; i < d; ++i) {
    const double element = leading[static_cast<Eigen::Index>(i)];
    energies[i] -= apart * element * element;
    if (energies[i] < kRounding * trace) energies[i] = 0;
  }
  return energies;
}

std::vector<double> sums_of(const std::vector<double>& channels,
                            const std::vector<std::size_t>& pairs) {
  std::vector<double> sums(channels.size() + channels.size() / 2);
  for (std::size_t i = 0; i < channels.size(); ++i) sums[pairs[i]] += channels[i];
  return sums;
}

/// G: 1 without energy, where nothing can be gained.
double gain_of(const std::vector<double>& keys, const std::vector<double>& queries) {
  double roots = 0, key_sum = 0, query_sum = 0;
  for (std::size_t p = 0; p < keys.size(); ++p) {
    roots += std::sqrt(keys[p] * queries[p]);
    key_sum += keys[p];
    query_sum += queries[p];
  }
  return key_sum > 0 && query_sum > 0 ? roots * roots / (key_sum * query_sum) : 1;
}

/// Exponents of pairs, by steps 4 and 5 of the rule.
std::vector<std::int8_t> exponents_of_pairs(const std::vector<double>& keys,
                                            const std::vector<double>& queries) {
  std::vector<double> logs(keys.size());
  double sum = 0, count = 0;
  const auto has_energy = [&](std::size_t p) { return keys[p] > 0 && queries[p] > 0; };
  for (std::size_t p = 0; p < keys.size(); ++p) {
    if (!has_energy(p)) continue;
    logs[p] = std::log2(keys[p] / queries[p]) / 4;
    sum += logs[p];
    ++count;
  }
  std::vector<std::int8_t> exponents(keys.size());
  for (std::size_t p = 0; p < keys.size(); ++p)
    if (has_energy(p))
      exponents[p] = static_cast<std::int8_t>(std::clamp(
          std::nearbyint(logs[p] - sum / count), double{kLeastExponent}, double{kMostExponent}));
  return exponents;
}

void check_shape(std::size_t layers, std::size_t heads, std::size_t d,
                 const files::HeadRows<std::int8_t>& exponents) {
  if (layers != exponents.layers || heads != exponents.heads || d != exponents.d)
    throw std::invalid_argument("exponents: another shape than that of the keys or queries");
}

}  // namespace

Exponents exponents_of(const Keys& keys, const Queries& queries,
                       const checkpoints::Architecture& architecture,
                       BalanceQueries balance_queries, double most_gain) {
  const std::size_t d = keys.head_dim;
  Exponents result;
  result.rows = {keys.layers, keys.heads, d, {}};
  result.deflated = balance_queries == BalanceQueries::deflated;
  result.most_gain = most_gain;
  for (std::size_t layer = 0; layer < keys.layers; ++layer) {
    const std::vector<std::size_t> pairs = pairs_of(architecture, layer, d);
    for (std::size_t head = 0; head < keys.heads; ++head) {
      const std::vector<double> of_keys = sums_of(key_energies(keys, layer, head), pairs);
      const std::vector<double> of_queries =
          sums_of(query_energies(queries.moment(layer, head), d, result.deflated), pairs);
      result.gains.push_back(gain_of(of_keys, of_queries));
      std::vector<std::int8_t> exponents(of_keys.size());
      if (result.balanced(layer, head)) exponents = exponents_of_pairs(of_keys, of_queries);
      for (std::size_t i = 0; i < d; ++i) result.rows.values.push_back(exponents[pairs[i]]);
    }
  }
  return result;
}

Keys balanced(Keys keys, const files::HeadRows<std::int8_t>& exponents) {
  check_shape(keys.layers, keys.heads, keys.head_dim, exponents);
  const std::size_t d = keys.head_dim, width = keys.rows * d;
  for (std::size_t i = 0; i < keys.values.size(); ++i)
    keys.values[i] = std::ldexp(keys.values[i], -exponents.values[i / width * d + i % d]);
  return keys;
}

Queries balanced(Queries queries, const files::HeadRows<std::int8_t>& exponents) {
  check_shape(queries.layers, queries.heads, queries.head_dim, exponents);
  const std::size_t d = queries.head_dim, width = queries.places.size() * queries.group * d;
  for (std::size_t i = 0; i < queries.values.size(); ++i)
    queries.values[i] = std::ldexp(queries.values[i], exponents.values[i / width * d + i % d]);
  for (std::size_t i = 0; i < queries.moments.size(); ++i) {
    const std::int8_t* const row = &exponents.values[i / (d * d) * d];
    queries.moments[i] = std::ldexp(queries.moments[i], row[i / d % d] + row[i % d]);
  }
  return queries;
}

}  // namespace axelram::calibration
