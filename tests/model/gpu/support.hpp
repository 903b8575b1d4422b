#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "axelram/caches/cache.hpp"
#include "axelram/checkpoints/checkpoint.hpp"
#include "axelram/gpu/model.hpp"
#include "axelram/half.hpp"
#include "axelram/perplexity/evaluate.hpp"

namespace test {

using namespace axelram;

inline const std::string kReference =
    std::string(AXELRAM_SOURCE) + "/tests/model/transformer/reference/";

inline std::vector<std::int32_t> some_ids(std::size_t count, std::size_t vocabulary) {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < count; ++i)
    ids.push_back(static_cast<std::int32_t>((i * i * 7 + i * 13 + 5) % vocabulary));
  return ids;
}

/// Shape of a random checkpoint.
struct Look {
  std::size_t hidden = 32, layers = 2, heads = 4, kv_heads = 2, head_dim = 64, ffn = 48;
  std::size_t vocabulary = 50;
  files::DataType type = files::DataType::bf16;
  bool offset = false;  ///< keys have one
  float key_size = 1;   ///< of the keys' weights
};

/// A checkpoint of the Llama family with random weights that begin at odd addresses.
inline checkpoints::Checkpoint random_checkpoint(const Look& look, unsigned seed) {
  checkpoints::Checkpoint c;
  auto& a = c.architecture;
  a.family = "llama";
  a.hidden = look.hidden;
  a.layers = look.layers;
  a.heads = look.heads;
  a.kv_heads = look.kv_heads;
  a.head_dim = look.head_dim;
  a.ffn = look.ffn;
  a.vocabulary = look.vocabulary;
  a.max_positions = 512;
  for (std::size_t i = 0; i < a.head_dim / 2; ++i)
    a.rotary.frequencies.push_back(
        std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(a.head_dim)));
  std::mt19937 random(seed);
  const auto matrix = [&](std::size_t outputs, std::size_t inputs, double size = 1) {
    std::normal_distribution<double> normal(0, size / std::sqrt(static_cast<double>(inputs)));
    const std::size_t bytes = files::size_of(look.type);
    auto memory = std::make_shared<std::vector<std::uint8_t>>(outputs * inputs * bytes + 1);
    for (std::size_t i = 0; i < outputs * inputs; ++i) {
      const double x = normal(random);
      const auto single = static_cast<float>(x);
      const std::uint16_t half =
          look.type == files::DataType::f16 ? double_to_half(x) : double_to_bfloat16(x);
      std::memcpy(memory->data() + 1 + i * bytes,
                  bytes == 4 ? static_cast<const void*>(&single) : &half, bytes);
    }
    c.files.push_back(memory);
    return checkpoints::Matrix{
        memory->data() + 1, *weights::type_of(look.type), outputs, inputs, inputs, false};
  };
  const auto vector = [&](std::size_t size, float middle, float spread) {
    std::normal_distribution<float> normal(middle, spread);
    std::vector<float> values(size);
    for (float& x : values) x = normal(random);
    return values;
  };
  const std::size_t queries = a.heads * a.head_dim, keys = a.kv_heads * a.head_dim;
  c.embedding = matrix(a.vocabulary, a.hidden, 4);
  for (std::size_t l = 0; l < a.layers; ++l) {
    checkpoints::Layer layer;
    layer.attention_norm = vector(a.hidden, 1, 0.1F);
    layer.ffn_norm = vector(a.hidden, 1, 0.1F);
    layer.q = matrix(queries, a.hidden, 2);
    layer.k = matrix(keys, a.hidden, 2 * look.key_size);
    layer.v = matrix(keys, a.hidden);
    layer.o = matrix(a.hidden, queries);
    layer.gate = matrix(a.ffn, a.hidden);
    layer.up = matrix(a.ffn, a.hidden);
    layer.down = matrix(a.hidden, a.ffn);
    if (look.offset) layer.key_offset = vector(keys, 0, 3);
    c.layers.push_back(layer);
  }
  c.final_norm = vector(a.hidden, 1, 0.1F);
  c.head = matrix(a.vocabulary, a.hidden, 3);
  return c;
}

/// A cache whose FP16 keys meet queries rounded to FP16, as tensor cores take them.
class HalfQueryKeys : public transformer::KeyCache {
 public:
  HalfQueryKeys(std::unique_ptr<transformer::KeyCache> keys, std::size_t d)
      : keys_(std::move(keys)), d_(d) {}
  void begin(std::uint32_t sequence) override { keys_->begin(sequence); }
  void write(const float* rows, std::size_t count) override { keys_->write(rows, count); }
  void inject(double, std::uint64_t) override {}
  double bytes_per_token() const override { return keys_->bytes_per_token(); }
  double bytes_per_sequence() const override { return keys_->bytes_per_sequence(); }
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override {
    std::vector<float> rounded(queries, queries + count * d_);
    for (float& x : rounded) x = static_cast<float>(half_to_double(double_to_half(x)));
    keys_->score(rounded.data(), count, first, oldest, stride, scores);
  }

 private:
  std::unique_ptr<transformer::KeyCache> keys_;
  std::size_t d_;
};
class HalfQueryCache : public transformer::KvCache {
 public:
  HalfQueryCache(const caches::Specification& specification, const checkpoints::Architecture& a)
      : d_(a.head_dim),
        fp16_(std::holds_alternative<caches::Float16>(specification.keys)),
        cache_(caches::make_cache(specification, caches::shape_of(a))) {}
  std::unique_ptr<transformer::KeyCache> keys(int layer, int head) const override {
    if (!fp16_) return cache_->keys(layer, head);
    return std::make_unique<HalfQueryKeys>(cache_->keys(layer, head), d_);
  }
  std::unique_ptr<transformer::ValueCache> values(int layer, int head) const override {
    return cache_->values(layer, head);
  }
  std::unique_ptr<transformer::HeadAttention> attention(int layer, int head) const override {
    return fp16_ ? KvCache::attention(layer, head) : cache_->attention(layer, head);
  }

 private:
  std::size_t d_;
  bool fp16_;
  std::unique_ptr<transformer::KvCache> cache_;
};

using Scores = std::vector<perplexity::Scores>;

/// The same text through the same caches on the CPU (HalfQueryCache) and through the kernels.
/// chunk: rows that pass through a layer of the device at once.
struct Both {
  Scores cpu, gpu;
};
inline Both evaluate_both(const checkpoints::Checkpoint& checkpoint,
                          const std::vector<std::string>& caches, std::size_t tokens,
                          std::size_t window, std::size_t stride, std::size_t chunk) {
  const auto ids = some_ids(tokens, checkpoint.architecture.vocabulary);
  const auto windows = perplexity::sliding_windows(tokens, window, stride);
  std::vector<caches::Specification> specifications;
  std::vector<std::unique_ptr<transformer::KvCache>> made;
  std::vector<const transformer::KvCache*> all;
  for (const std::string& cache : caches) {
    specifications.push_back(caches::parse_specification(cache));
    made.push_back(
        std::make_unique<HalfQueryCache>(specifications.back(), checkpoint.architecture));
    all.push_back(made.back().get());
  }
  transformer::Workers workers(1);
  const transformer::Transformer model(checkpoint, workers);
  Both both;
  both.cpu = perplexity::evaluate(model, ids, windows, all);
  gpu::Capacity capacity{windows.size() * window, windows.size(), window, chunk};
  gpu::Model device(checkpoint, specifications, capacity);
  both.gpu = perplexity::evaluate(device, ids, windows);
  return both;
}

/// Largest difference.
template <class T>
double worst(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return most;
}

}  // namespace test
