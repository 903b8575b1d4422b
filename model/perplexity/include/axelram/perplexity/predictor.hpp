#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "axelram/transformer/transformer.hpp"

namespace axelram::perplexity {

/// A next-token distribution held against the id that came.
struct Prediction {
  double nll;        ///< -ln softmax(logits)[id]
  double kl;         ///< of softmax(logits) from softmax(baseline)
  std::size_t rank;  ///< ids more likely than `id`; of equals the lower id counts as more likely
};

/// What is to be predicted: `id`, from the hidden state of `row`. The tokens of the sequences of a
/// batch, one after the other, are the rows.
struct Target {
  std::size_t row;
  std::int32_t id;
};

/// A language model with the caches it is to be measured with, wherever it runs. Cache 0 is the
/// baseline of the divergences.
class Predictor {
 public:
  virtual ~Predictor() = default;
  virtual std::size_t caches() const = 0;
  /// Passes the sequences through every cache; returns [caches][targets] and adds what the stores
  /// met to events, one a cache. Throws files::InputError as Transformer::forward.
  virtual std::vector<std::vector<Prediction>> predict(
      std::span<const transformer::Sequence> sequences, std::span<const Target> targets,
      std::span<transformer::CacheEvents> events) = 0;
};

}  // namespace axelram::perplexity
