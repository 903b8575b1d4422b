#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "axelram/perplexity/predictor.hpp"
#include "axelram/perplexity/windows.hpp"

namespace axelram::perplexity {

/// What one cache made of a text. Everything is over `nll.size()` predictions.
struct Scores {
  std::vector<double> nll;    ///< -ln p(id | its window so far), nats, in the order of the text
  double kl = 0;              ///< mean KL divergence of the next-token distribution from the
                              ///< baseline's, nats
  double top1 = 0, top5 = 0;  ///< share of ids that were the most, the five most likely
  transformer::CacheEvents events;

  double mean_nll() const;
  double perplexity() const;
};

struct Progress {
  std::size_t tokens, of;  ///< forward passes of tokens, all caches together
  double seconds;
};

/// The windows cut into those that pass through a model together: at most 2048 tokens, or one
/// alone.
std::vector<std::span<const Window>> batches_of(const std::vector<Window>& windows);

/// Scores the windows of `ids` through every cache of the model. Window k is sequence number k to
/// the stores. Throws files::InputError as Predictor::predict, and for a likelihood that is no
/// number.
std::vector<Scores> evaluate(Predictor& model, std::span<const std::int32_t> ids,
                             const std::vector<Window>& windows,
                             const std::function<void(const Progress&)>& progress = {});

/// The same of the transformer on the CPU; the first cache is the baseline of the KL divergences.
/// The same for any number of workers.
std::vector<Scores> evaluate(const transformer::Transformer& model,
                             std::span<const std::int32_t> ids, const std::vector<Window>& windows,
                             const std::vector<const transformer::KvCache*>& caches,
                             const std::function<void(const Progress&)>& progress = {});

}  // namespace axelram::perplexity
