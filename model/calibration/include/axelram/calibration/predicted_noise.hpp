#pragma once

#include <cstddef>
#include <vector>

#include "axelram/calibration/queries.hpp"
#include "axelram/parameters.hpp"
#include "axelram/transformer/kv_cache.hpp"

namespace axelram::calibration {

/// Noise of the scores of a head, in nats, from which on a model fails: softmax then follows the
/// noise instead of the scores. Of SmolLM2-135M and Qwen2.5-Coder 0.5B and 1.5B with keys of 2 to 4
/// bits (docs/use/tune.md), caches with less in every head have a KL of 0.28 nats at most, those
/// with more have 0.03 to 7, all but one 0.5 and more.
constexpr double kFailingNoise = 2;

/// How much of the calibration windows is scored, for each head.
struct NoiseSample {
  std::size_t keys = 256;    ///< of whole windows, at least one; the last one is cut
  std::size_t queries = 64;  ///< of all query heads of the group, at equal distances; at least one
                             ///< token's
};

/// Root mean square, in nats, of what the cache makes of scores: its scores less exact ones, times
/// the attention scale, less their mean over the keys of each query, which softmax ignores. The
/// sample's keys are written to the cache and its queries scored, each with all keys that it sees.
/// [layers, heads]; 0 for a head without kept queries. The cache takes keys after rotary embedding.
/// Results do not depend on the number of workers. Throws what the cache throws.
std::vector<double> predicted_noise(const Keys& keys, const Queries& queries,
                                    const transformer::KvCache& cache, const NoiseSample& sample,
                                    transformer::Workers& workers);

/// The same without a cache, roughly, for kind `mse` without split: errors of the codebook's size
/// in every direction. keys, queries: mean squares of the norm of balanced keys, centered if the
/// macro centers, and of balanced queries, without the leading direction for an encoder with
/// feedback.
double noise_of_energies(const Parameters& parameters, double keys, double queries,
                         double attention_scale);

}  // namespace axelram::calibration
