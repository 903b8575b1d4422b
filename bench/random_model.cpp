#include "random_model.hpp"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "axelram/half.hpp"

namespace bench {
namespace {

using namespace axelram;

/// Matrices of random values out of one table, over and over.
class Weights {
 public:
  Weights() : table_((1 << 19) + 7) {  // odd: matrices do not begin at the same place of it
    std::mt19937 random(1);
    std::normal_distribution<double> normal(0, 0.04);
    for (std::uint16_t& value : table_) value = double_to_half(normal(random));
  }

  checkpoints::Matrix matrix(std::size_t outputs, std::size_t inputs) {
    auto values = std::make_shared<std::vector<std::uint16_t>>(outputs * inputs);
    for (std::uint16_t& value : *values) value = table_[at_++ % table_.size()];
    kept.push_back(values);
    return {reinterpret_cast<const std::uint8_t*>(values->data()),
            weights::Type::f16,
            outputs,
            inputs,
            inputs,
            false};
  }

  std::vector<std::shared_ptr<const void>> kept;

 private:
  std::vector<std::uint16_t> table_;
  std::size_t at_ = 0;
};

checkpoints::Architecture architecture_of(std::size_t layers) {
  constexpr std::size_t kLayers = 30, kVocabulary = 49152;
  constexpr double kTheta = 100000;
  checkpoints::Architecture a;
  a.family = "llama";
  a.hidden = 576;
  a.layers = layers;
  a.heads = 9;
  a.kv_heads = 3;
  a.head_dim = 64;
  a.ffn = 1536;
  a.vocabulary = kVocabulary * layers / kLayers;
  a.max_positions = 8192;
  for (std::size_t i = 0; i < a.head_dim / 2; ++i)
    a.rotary.frequencies.push_back(
        std::pow(kTheta, -2.0 * static_cast<double>(i) / static_cast<double>(a.head_dim)));
  return a;
}

}  // namespace

checkpoints::Checkpoint random_model(std::size_t layers) {
  checkpoints::Checkpoint model;
  model.path = "random";
  model.architecture = architecture_of(layers);
  const checkpoints::Architecture& a = model.architecture;
  const std::size_t q = a.heads * a.head_dim, kv = a.kv_heads * a.head_dim;
  const std::vector<float> ones(a.hidden, 1.0F);
  Weights weights;
  model.embedding = model.head = weights.matrix(a.vocabulary, a.hidden);
  model.final_norm = ones;
  for (std::size_t i = 0; i < layers; ++i) {
    checkpoints::Layer layer;
    layer.attention_norm = layer.ffn_norm = ones;
    layer.q = weights.matrix(q, a.hidden);
    layer.k = weights.matrix(kv, a.hidden);
    layer.v = weights.matrix(kv, a.hidden);
    layer.o = weights.matrix(a.hidden, q);
    layer.gate = weights.matrix(a.ffn, a.hidden);
    layer.up = weights.matrix(a.ffn, a.hidden);
    layer.down = weights.matrix(a.hidden, a.ffn);
    model.layers.push_back(std::move(layer));
  }
  model.files = std::move(weights.kept);
  return model;
}

double operations(const checkpoints::Architecture& a,
                  const std::vector<perplexity::Window>& windows, bool head) {
  const std::size_t layer = a.hidden * a.head_dim * 2 * (a.heads + a.kv_heads) +  // weights
                            a.hidden * a.ffn * (a.gated() ? 3 : 2);
  double sum = 0;
  for (const perplexity::Window& window : windows) {
    const std::size_t tokens = window.size();
    const std::size_t pairs = a.heads * tokens * (tokens + 1) / 2;  // of queries and keys
    sum += static_cast<double>(a.layers * (2 * layer * tokens + 4 * a.head_dim * pairs));
    if (head)
      sum += static_cast<double>(2 * a.hidden * a.vocabulary * (window.end - window.scored));
  }
  return sum;
}

}  // namespace bench
