#include <algorithm>

#include "axelram/perplexity/transformer_predictor.hpp"
#include "rows.hpp"

namespace axelram::engines {
namespace {

/// The transformer with all that it needs.
class OnCpu : public perplexity::Predictor {
 public:
  OnCpu(const PerplexityRequest& request, std::vector<std::unique_ptr<transformer::KvCache>> caches)
      : owned_(std::move(caches)),
        workers_(request.threads),
        model_(request.checkpoint, workers_),
        predictor_(model_, caches_, request.chunk, request.from) {
    for (const auto& cache : owned_) caches_.push_back(cache.get());
  }

  std::size_t caches() const override { return predictor_.caches(); }
  std::vector<std::vector<perplexity::Prediction>> predict(
      std::span<const transformer::Sequence> sequences, std::span<const perplexity::Target> targets,
      std::span<transformer::CacheEvents> events, const perplexity::Advance& advance) override {
    return predictor_.predict(sequences, targets, events, advance);
  }

 private:
  std::vector<std::unique_ptr<transformer::KvCache>> owned_;
  std::vector<const transformer::KvCache*> caches_;
  transformer::Workers workers_;
  transformer::Transformer model_;
  perplexity::TransformerPredictor predictor_;
};

}  // namespace

CacheBytes bytes_of(const transformer::KvCache& cache, const caches::Shape& shape,
                    const std::vector<perplexity::Window>& windows) {
  std::size_t tokens = 1;
  for (const perplexity::Window& window : windows) tokens = std::max(tokens, window.size());
  CacheBytes sum;
  for (int layer = 0; layer < shape.layers; ++layer)
    for (int head = 0; head < shape.heads; ++head) {
      if (cache.bounded()) {
        sum.per_sequence += cache.memory(layer, head)->bytes();
        continue;
      }
      const auto attention = cache.attention(layer, head);
      const double once = attention->bytes_per_sequence();
      sum.per_token += (attention->bytes(tokens) - once) / static_cast<double>(tokens);
      sum.per_sequence += once;
    }
  return sum;
}

PerplexityModel model_on_cpu(const PerplexityRequest& request,
                             std::vector<std::unique_ptr<transformer::KvCache>> caches) {
  PerplexityModel model;
  const caches::Shape shape = caches::shape_of(request.checkpoint.architecture);
  for (const auto& cache : caches) model.bytes.push_back(bytes_of(*cache, shape, request.windows));
  model.predictor = std::make_unique<OnCpu>(request, std::move(caches));
  return model;
}

}  // namespace axelram::engines
