#include "axelram/calibration/balance.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/calibration/energies.hpp"

namespace axelram::calibration {
namespace {

/// Logarithms of lambda; pairs without energy have none, 0.
std::vector<double> log_lambdas(const Energies& energies) {
  std::vector<double> logs(energies.keys.size());
  double sum = 0, count = 0;
  for (std::size_t p = 0; p < logs.size(); ++p) {
    if (energies.keys[p] <= 0 || energies.queries[p] <= 0) continue;
    logs[p] = std::log(energies.keys[p] / energies.queries[p]) / 4;
    sum += logs[p];
    ++count;
  }
  for (std::size_t p = 0; p < logs.size(); ++p)
    if (energies.keys[p] > 0 && energies.queries[p] > 0) logs[p] -= sum / count;
  return logs;
}

/// The error of scores with lambda over that without: both are a product of sums of energies.
double won_by(const Energies& energies, const float* lambdas) {
  double keys = 0, queries = 0, balanced_keys = 0, balanced_queries = 0;
  for (std::size_t p = 0; p < energies.keys.size(); ++p) {
    const double square = double{lambdas[p]} * lambdas[p];
    keys += energies.keys[p];
    queries += energies.queries[p];
    balanced_keys += energies.keys[p] / square;
    balanced_queries += energies.queries[p] * square;
  }
  return keys > 0 && queries > 0 ? balanced_keys * balanced_queries / (keys * queries) : 1;
}

}  // namespace

Balanced balance_of(const Keys& keys, const Queries& queries,
                    const checkpoints::Checkpoint& checkpoint) {
  const std::size_t pairs = keys.head_dim / 2;
  Balanced result{{keys.layers, keys.heads, pairs, {}}, {}};
  for (std::size_t layer = 0; layer < keys.layers; ++layer) {
    std::vector<Energies> energies;
    std::vector<std::vector<double>> logs;
    for (std::size_t head = 0; head < keys.heads; ++head) {
      energies.push_back(
          of_pairs(energies_of(keys, queries, layer, head), checkpoint.architecture.positions));
      logs.push_back(log_lambdas(energies.back()));
    }
    if (!checkpoint.layers[layer].k_norm.empty()) {
      std::vector<double> mean(pairs);
      for (const std::vector<double>& one : logs)
        for (std::size_t p = 0; p < pairs; ++p) mean[p] += one[p] / static_cast<double>(keys.heads);
      std::fill(logs.begin(), logs.end(), mean);
    }
    for (std::size_t head = 0; head < keys.heads; ++head) {
      for (const double one : logs[head])
        result.balance.lambdas.push_back(static_cast<float>(std::clamp(
            std::exp(one), double{files::Balance::kLeast}, double{files::Balance::kMost})));
      result.won.push_back(won_by(energies[head], result.balance.at(layer, head)));
    }
  }
  return result;
}

}  // namespace axelram::calibration
