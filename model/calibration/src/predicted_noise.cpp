#include "axelram/calibration/predicted_noise.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "axelram/codebook.hpp"
#include "scored_queries.hpp"

namespace axelram::calibration {
namespace {

/// The places of the first keys, as many queries apart as the sample asks for.
ScoredPlaces places_of(const Queries& queries, const NoiseSample& sample) {
  ScoredPlaces scored{0};
  std::size_t whole = 0, first = 0;  // rows of the windows before the current one, and its first
  for (const Queries::Place& place : queries.places) {
    if (place.first != first) whole += place.first - first;
    first = place.first;
    if (scored.places > 0 && whole + place.row - place.first >= sample.keys) break;
    ++scored.places;
  }
  const std::size_t most = std::max<std::size_t>(1, sample.queries / queries.group);
  scored.step = std::max<std::size_t>(1, (scored.places + most - 1) / most);
  return scored;
}

}  // namespace

std::vector<double> predicted_noise(const Keys& keys, const Queries& queries,
                                    const transformer::KvCache& cache, const NoiseSample& sample,
                                    transformer::Workers& workers) {
  std::vector<double> all(keys.layers * keys.heads);
  if (queries.places.empty()) return all;
  const ScoredPlaces scored = places_of(queries, sample);
  workers.run(all.size(), [&](std::size_t, std::size_t pair) {
    const std::size_t layer = pair / keys.heads, head = pair % keys.heads;
    const std::unique_ptr<transformer::KeyCache> of_head =
        cache.keys(static_cast<int>(layer), static_cast<int>(head));
    double squares = 0, count = 0;
    for_each_scored(
        keys, queries, *of_head, layer, head, scored,
        [&](const std::vector<double>& exact, const std::vector<double>& measured, std::size_t) {
          double mean = 0;
          for (std::size_t t = 0; t < exact.size(); ++t)
            mean += (measured[t] - exact[t]) / static_cast<double>(exact.size());
          for (std::size_t t = 0; t < exact.size(); ++t) {
            const double error = measured[t] - exact[t] - mean;
            squares += error * error;
          }
          count += static_cast<double>(exact.size());
        });
    all[pair] = std::sqrt(squares / count);
  });
  return all;
}

double noise_of_energies(const Parameters& p, double keys, double queries, double attention_scale) {
  const double error =
      distortion(solve_codebook(p.codebook, p.head_dim, p.index_bits), p.codebook, p.head_dim);
  return attention_scale * std::sqrt(error * keys * queries / p.head_dim);
}

}  // namespace axelram::calibration
