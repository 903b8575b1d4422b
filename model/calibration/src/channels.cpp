#include "axelram/calibration/channels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "axelram/calibration/energies.hpp"
#include "axelram/codebook.hpp"

namespace axelram::calibration {
namespace {

/// Numbers of the largest values, a tie the lower one.
std::vector<std::size_t> largest(const std::vector<double>& values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  order.resize(count);
  return order;
}

std::vector<double> mean_squares(const Keys& keys, std::size_t layer, std::size_t head) {
  std::vector<double> squares(keys.head_dim);
  const float* const rows = keys.of(layer, head);
  for (std::size_t i = 0; i < keys.rows * keys.head_dim; ++i)
    squares[i % keys.head_dim] += double{rows[i]} * rows[i] / static_cast<double>(keys.rows);
  return squares;
}

/// 1 for the channels of sub-vector 0.
std::vector<std::uint8_t> chosen(const Keys& keys, const Energies& energies,
                                 checkpoints::Positions positions, ChannelRule rule,
                                 std::size_t layer, std::size_t head) {
  const std::size_t d = keys.head_dim;
  std::vector<std::uint8_t> high(d);
  if (rule == ChannelRule::magnitude) {
    for (const std::size_t channel : largest(mean_squares(keys, layer, head), d / 2))
      high[channel] = 1;
    return high;
  }
  const Energies pairs = of_pairs(energies, positions);
  std::vector<double> products;
  for (std::size_t p = 0; p < d / 2; ++p) products.push_back(pairs.keys[p] * pairs.queries[p]);
  std::vector<std::uint8_t> high_pairs(d / 2);
  for (const std::size_t pair : largest(products, d / 4)) high_pairs[pair] = 1;
  for (std::size_t channel = 0; channel < d; ++channel)
    high[channel] = high_pairs[checkpoints::pair_of(positions, channel, d)];
  return high;
}

/// Variance of a score with an unbiased norm, of unit vectors and times d (bit-contract.md#scale).
double unit_error(int bits) {
  const double error =
      distortion(solve_codebook(CodebookKind::gaussian, 0, bits), CodebookKind::gaussian, 0);
  return error / (1 - error);
}

/// A rotation spreads the energies of a vector over its elements: the error of its scores is a
/// product of sums.
double factor_of(const Energies& energies, const std::vector<std::uint8_t>& high,
                 const SplitBits& bits) {
  double queries[2] = {}, keys[2] = {};
  for (std::size_t channel = 0; channel < high.size(); ++channel) {
    queries[high[channel]] += energies.queries[channel];
    keys[high[channel]] += energies.keys[channel];
  }
  const double all = (queries[0] + queries[1]) * (keys[0] + keys[1]);
  const double with_high = unit_error(bits.high), with_low = unit_error(bits.low);
  if (!(all > 0)) return 1;
  return 2 * (queries[1] * keys[1] * with_high + queries[0] * keys[0] * with_low) /
         (all * std::sqrt(with_high * with_low));
}

}  // namespace

Channels choose_channels(const Keys& keys, const Queries& queries, checkpoints::Positions positions,
                         ChannelRule rule, SplitBits bits) {
  Channels channels;
  for (std::size_t layer = 0; layer < keys.layers; ++layer)
    for (std::size_t head = 0; head < keys.heads; ++head) {
      const Energies energies = energies_of(keys, queries, layer, head);
      const std::vector<std::uint8_t> high = chosen(keys, energies, positions, rule, layer, head);
      for (std::size_t channel = 0; channel < high.size(); ++channel)
        if (high[channel] != 0) channels.high.push_back(static_cast<std::int32_t>(channel));
      channels.factors.push_back(factor_of(energies, high, bits));
    }
  return channels;
}

}  // namespace axelram::calibration
