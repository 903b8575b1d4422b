#pragma once

#include <cstddef>
#include <vector>

#include "axelram/calibration/queries.hpp"
#include "axelram/transformer/kv_cache.hpp"

namespace axelram::calibration {

/// Which kept queries of a head are scored: those of places 0, step, 2 step, ... below `places`.
struct ScoredPlaces {
  std::size_t places, step = 1;
};

/// Writes the keys of each window to the cache and scores queries of one head. Calls
/// take(exact, measured, oldest) for each of them: its scores of the keys oldest .. token of its
/// window, in nats.
template <class Take>
void for_each_scored(const Keys& keys, const Queries& queries, transformer::KeyCache& cache,
                     std::size_t layer, std::size_t head, const ScoredPlaces& scored,
                     const Take& take) {
  const std::size_t d = keys.head_dim;
  const float* const rows = keys.of(layer, head);
  std::vector<float> measured_row;
  std::vector<double> exact, measured;
  std::uint32_t window = 0;
  for (std::size_t at = 0; at < scored.places; ++window) {
    const std::size_t first = queries.places[at].first;
    std::size_t end = at;
    while (end < scored.places && queries.places[end].first == first) ++end;
    cache.begin(window);
    cache.write(rows + first * d, queries.places[end - 1].row + 1 - first);
    for (; at < end; ++at) {
      if (at % scored.step != 0) continue;
      const Queries::Place& place = queries.places[at];
      const std::size_t token = place.row - first, oldest = queries.oldest(layer, place) - first;
      measured_row.resize(token + 1);
      for (std::size_t g = 0; g < queries.group; ++g) {
        const float* const q = queries.at(layer, head, at) + g * d;
        cache.score(q, 1, token, oldest, token + 1, measured_row.data());
        exact.clear();
        measured.clear();
        for (std::size_t t = oldest; t <= token; ++t) {
          const float* const k = rows + (first + t) * d;
          double score = 0;
          for (std::size_t i = 0; i < d; ++i) score += double{q[i]} * double{k[i]};
          exact.push_back(score * queries.attention_scale);
          measured.push_back(double{measured_row[t]} * queries.attention_scale);
        }
        take(exact, measured, oldest);
      }
    }
  }
}

}  // namespace axelram::calibration
