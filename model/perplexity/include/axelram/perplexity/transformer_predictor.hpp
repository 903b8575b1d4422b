#pragma once

#include <vector>

#include "axelram/perplexity/predictor.hpp"

namespace axelram::perplexity {

/// The transformer on the CPU. Model and caches must outlive it.
class TransformerPredictor : public Predictor {
 public:
  TransformerPredictor(const transformer::Transformer& model,
                       const std::vector<const transformer::KvCache*>& caches)
      : model_(model), caches_(caches) {}

  std::size_t caches() const override { return caches_.size(); }
  std::vector<std::vector<Prediction>> predict(std::span<const transformer::Sequence> sequences,
                                               std::span<const Target> targets,
                                               std::span<transformer::CacheEvents> events) override;

 private:
  std::vector<float> logits(const std::vector<float>& hidden, std::span<const Target> targets);

  const transformer::Transformer& model_;
  const std::vector<const transformer::KvCache*>& caches_;
};

}  // namespace axelram::perplexity
