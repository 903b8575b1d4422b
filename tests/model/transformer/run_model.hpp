#pragma once

#include <cmath>
#include <vector>

#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/transformer/transformer.hpp"
#include "transformer/plain_cache.hpp"

namespace test {

/// Logits [rows * columns, vocabulary] of token rows [rows, columns], each an independent sequence.
inline std::vector<float> logits_of(const axelram::checkpoints::Checkpoint& checkpoint,
                                    const std::vector<std::int32_t>& tokens, std::size_t columns,
                                    std::size_t threads,
                                    const axelram::transformer::Observer& observer = {}) {
  const auto& a = checkpoint.architecture;
  axelram::transformer::Workers workers(threads);
  const axelram::transformer::Transformer model(checkpoint, workers);
  const PlainCache cache(a.head_dim);
  std::vector<axelram::transformer::Sequence> sequences;
  for (std::size_t at = 0; at < tokens.size(); at += columns)
    sequences.push_back(
        {{tokens.data() + at, columns}, static_cast<std::uint32_t>(sequences.size())});
  const std::vector<float> hidden = model.forward(sequences, cache, observer);
  std::vector<float> logits(tokens.size() * a.vocabulary);
  model.logits(hidden.data(), tokens.size(), logits.data());
  return logits;
}

/// -log softmax(logits)[id].
inline double nll_of(const float* logits, std::size_t vocabulary, std::int32_t id) {
  double most = logits[0], sum = 0;
  for (std::size_t v = 0; v < vocabulary; ++v) most = std::max(most, double{logits[v]});
  for (std::size_t v = 0; v < vocabulary; ++v) sum += std::exp(logits[v] - most);
  return most + std::log(sum) - logits[id];
}

}  // namespace test
