#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "axelram/caches/cache.hpp"
#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/perplexity/evaluate.hpp"
#include "files/support.hpp"

namespace test {

using axelram::transformer::KvCache;

inline double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// The values of a cache, with other keys.
class AnyKeys : public KvCache {
 public:
  explicit AnyKeys(std::unique_ptr<KvCache> cache) : cache_(std::move(cache)) {}
  std::unique_ptr<axelram::transformer::ValueCache> values(int layer, int head) const override {
    return cache_->values(layer, head);
  }

 protected:
  std::unique_ptr<KvCache> cache_;
};

/// The bundled byte-level model on the first 1024 bytes of a text of the repository, in windows of
/// 256.
class ByteLlama {
 public:
  ByteLlama()
      : checkpoint_(axelram::checkpoints::read_checkpoint(std::string(AXELRAM_SOURCE) +
                                                          "/models/byte-llama-d128")) {
    const std::string text = content(std::string(AXELRAM_SOURCE) + "/LICENSE");
    std::transform(text.begin(), text.begin() + 1024, std::back_inserter(ids_),
                   [](char byte) { return static_cast<unsigned char>(byte); });
  }

  std::size_t head_dim() const { return checkpoint_.architecture.head_dim; }

  /// Keys of a specification, exact values.
  std::unique_ptr<KvCache> keys(const std::string& specification) const {
    return axelram::caches::make_cache(
        axelram::caches::parse_specification("keys=" + specification + ";values=f32"),
        axelram::caches::shape_of(checkpoint_.architecture));
  }
  std::unique_ptr<KvCache> exact() const { return keys("f32"); }

  /// Divergence of the next-token distribution of each cache from that of exact keys and values.
  std::vector<double> divergences(const std::vector<std::unique_ptr<KvCache>>& caches) const {
    const auto baseline = exact();
    std::vector<const KvCache*> all{baseline.get()};
    for (const auto& cache : caches) all.push_back(cache.get());
    axelram::transformer::Workers workers(2);
    const axelram::transformer::Transformer model(checkpoint_, workers);
    const auto windows = axelram::perplexity::sliding_windows(ids_.size(), 256, 256);
    std::vector<double> divergences;
    for (const auto& scores : axelram::perplexity::evaluate(model, ids_, windows, all))
      divergences.push_back(scores.kl);
    divergences.erase(divergences.begin());
    return divergences;
  }

  double mean_divergence(const std::vector<std::unique_ptr<KvCache>>& caches) const {
    return mean_of(divergences(caches));
  }

 private:
  axelram::checkpoints::Checkpoint checkpoint_;
  std::vector<std::int32_t> ids_;
};

}  // namespace test
