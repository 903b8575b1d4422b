#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "axelram/perplexity/predictor.hpp"
#include "axelram/perplexity/windows.hpp"

namespace axelram::perplexity {

/// Results of one cache on a text: `nll.size()` predictions.
struct Scores {
  std::vector<double> nll;  ///< -ln p(id | its window so far), nats, in the order of the text
  std::vector<double> kls;  ///< KL divergence of each next-token distribution from the
                            ///< baseline's, nats
  std::vector<std::int32_t> ranks;  ///< ids more likely than the text's
  double kl = 0;                    ///< their mean
  double top1 = 0, top5 = 0;        ///< share of ids ranked first, among the first five
  double agreement = 0;             ///< share of predictions whose most likely id is the baseline's
  transformer::CacheEvents events;

  double mean_nll() const;
  double perplexity() const;
};

struct Progress {
  std::size_t tokens, of;  ///< tokens passed through the model, summed over the caches
  double seconds;
};

/// Groups of windows that pass through a model together: at most 2048 tokens, or one window.
std::vector<std::span<const Window>> batches_of(const std::vector<Window>& windows);

/// Scores the windows of `ids` with every cache of the model. Window k is sequence number k of the
/// caches. `progress` is told at most five times a second, and after every batch. Throws
/// files::InputError as Predictor::predict, and for a likelihood that is NaN.
std::vector<Scores> evaluate(Predictor& model, std::span<const std::int32_t> ids,
                             const std::vector<Window>& windows,
                             const std::function<void(const Progress&)>& progress = {});

/// The same for the transformer on the CPU; the first cache is the baseline of the KL divergences.
/// The number of workers does not change the results.
std::vector<Scores> evaluate(const transformer::Transformer& model,
                             std::span<const std::int32_t> ids, const std::vector<Window>& windows,
                             const std::vector<const transformer::KvCache*>& caches,
                             const std::function<void(const Progress&)>& progress = {});

}  // namespace axelram::perplexity
