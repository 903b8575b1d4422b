#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "axelram/transformer/transformer.hpp"

namespace axelram::perplexity {

/// A next-token distribution compared with the id that follows.
struct Prediction {
  double nll;          ///< -ln softmax(logits)[id]
  double kl;           ///< of softmax(logits) from softmax(baseline)
  std::size_t rank;    ///< ids more likely than `id`; among equals the lower id ranks first
  bool agrees = true;  ///< the most likely id is the baseline's; among equals the lowest
};

/// One prediction to make: `id`, from the hidden state of `row`. Rows are the tokens of all
/// sequences of a batch, in order.
struct Target {
  std::size_t row;
  std::int32_t id;
};

/// Receives the share of a call's work that is done, up to 1, in the thread of the caller; may be
/// empty.
using Advance = std::function<void(double share)>;

/// A language model on any device, with the caches to be measured. Cache 0 is the baseline of the
/// KL divergences.
class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual std::size_t caches() const = 0;
  /// Passes the sequences through every cache. Returns [caches][targets] and adds the counters of
  /// each cache to its element of events. Tells `advance` at least once a cache. Throws
  /// files::InputError as Transformer::forward; a transformer::OutOfRange has the number of the
  /// cache.
  virtual std::vector<std::vector<Prediction>> predict(
      std::span<const transformer::Sequence> sequences, std::span<const Target> targets,
      std::span<transformer::CacheEvents> events, const Advance& advance) = 0;
};

}  // namespace axelram::perplexity
