#pragma once

#include <utility>
#include <vector>

#include "axelram/perplexity/predictor.hpp"

namespace axelram::perplexity {

/// The transformer on the CPU. Model and caches must outlive it.
class TransformerPredictor : public Predictor {
 public:
  /// chunk: tokens of each sequence that pass together, at most; 0: all. Results are the same.
  /// from: memories that every sequence goes on from, in caches that are bounded; or none.
  TransformerPredictor(const transformer::Transformer& model,
                       const std::vector<const transformer::KvCache*>& caches,
                       std::size_t chunk = 0, std::vector<MemoryState> from = {})
      : model_(model), caches_(caches), chunk_(chunk), from_(std::move(from)) {}

  std::size_t caches() const override { return caches_.size(); }
  /// Tells `advance` in every layer.
  std::vector<std::vector<Prediction>> predict(std::span<const transformer::Sequence> sequences,
                                               std::span<const Target> targets,
                                               std::span<transformer::CacheEvents> events,
                                               const Advance& advance) override;

 private:
  std::vector<float> hidden_of(std::span<const transformer::Sequence> sequences,
                               const transformer::KvCache& cache,
                               const transformer::Observer& observer,
                               transformer::CacheEvents* events) const;
  /// The logits of some targets, in *logits: as large as the largest so far.
  void compute_logits(const std::vector<float>& hidden, std::span<const Target> targets,
                      std::vector<float>* logits);

  const transformer::Transformer& model_;
  const std::vector<const transformer::KvCache*>& caches_;
  std::size_t chunk_;
  std::vector<MemoryState> from_;
  // Kept from call to call: new memory of this size is slow to touch.
  std::vector<float> rows_, baseline_logits_, logits_;
};

}  // namespace axelram::perplexity
