#include "axelram/calibration/energies.hpp"

#include <algorithm>
#include <cmath>

namespace axelram::calibration {

Energies energies_of(const Keys& keys, const Queries& queries, std::size_t layer,
                     std::size_t head) {
  const std::size_t d = keys.head_dim;
  const float* const rows = keys.of(layer, head);
  const double* const moment = queries.moment(layer, head);
  Energies energies;
  for (std::size_t channel = 0; channel < d; ++channel) {
    energies.queries.push_back(moment[channel * d + channel]);
    double sum = 0, squares = 0;
    for (std::size_t t = 0; t < keys.rows; ++t) {
      const double element = rows[t * d + channel];
      sum += element;
      squares += element * element;
    }
    const auto count = static_cast<double>(keys.rows);
    energies.keys.push_back(std::max(0.0, squares / count - (sum / count) * (sum / count)));
  }
  return energies;
}

Energies of_pairs(const Energies& channels, checkpoints::Positions positions) {
  const std::size_t d = channels.keys.size();
  Energies pairs{std::vector<double>(d / 2), std::vector<double>(d / 2)};
  for (std::size_t channel = 0; channel < d; ++channel) {
    const std::size_t pair = checkpoints::pair_of(positions, channel, d);
    pairs.queries[pair] += channels.queries[channel];
    pairs.keys[pair] += channels.keys[channel];
  }
  return pairs;
}

double concentration(const Energies& pairs) {
  double sum = 0, squares = 0;
  for (const double energy : pairs.keys) {
    sum += energy;
    squares += energy * energy;
  }
  return sum > 0 ? std::sqrt(squares) / sum : 0;
}

}  // namespace axelram::calibration
