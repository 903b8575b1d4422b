#include <algorithm>
#include <cmath>

#include "decoder.hpp"
#include "families.hpp"
#include "gguf_names.hpp"
#include "rotary.hpp"

namespace axelram::checkpoints {
namespace {

/// Differences between the families.
struct Traits {
  DecoderBiases biases;
  bool head_norms;
};

bool is_mistral(const std::string& family) { return family == "mistral" || family == "ministral"; }

Traits traits(const std::string& family, const JsonObject& config) {
  if (family == "qwen2") return {{true, false, false}, false};
  const bool attention = !is_mistral(family) && config.flag("attention_bias");
  const bool mlp = family == "llama" && config.flag("mlp_bias");
  return {{attention, attention, mlp}, family == "qwen3"};
}

/// Where attention slides, layer_types says. Without it, it does in every layer of Mistral, if it
/// has a window, and in Qwen from max_window_layers on.
std::vector<std::size_t> spans(const std::string& family, const JsonObject& config,
                               std::size_t layers) {
  if (family == "llama") return {};
  const bool qwen = !is_mistral(family);
  const bool slides = !qwen || config.flag("use_sliding_window");
  const std::size_t window = slides ? sliding_window(config) : 0;
  if (config.has("layer_types")) return spans_by_type(config, layers, window);
  if (window == 0) return {};
  std::vector<std::size_t> spans(layers, window);
  const std::size_t full = qwen ? config.count_or_zero("max_window_layers") : 0;
  std::fill_n(spans.begin(), std::min(full, layers), 0);
  return spans;
}

void divide_frequencies(const JsonObject& config, Tensors* tensors, Rotary* rotary) {
  const std::vector<float> factors = tensors->vector(kRotaryFactors, rotary->frequencies.size());
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (!std::isfinite(factors[i]) || !(factors[i] > 0))
      config.fail("rope_theta", std::string(kRotaryFactors) + " must hold positive numbers");
    rotary->frequencies[i] /= static_cast<double>(factors[i]);
  }
}

Layer read_layer(std::size_t index, const Architecture& a, const Traits& traits, Tensors* tensors) {
  const std::string prefix = "model.layers." + std::to_string(index) + ".";
  const std::string attention = prefix + "self_attn.";
  Layer layer = decoder_projections(prefix, a, traits.biases, tensors);
  layer.attention_norm = tensors->vector(prefix + "input_layernorm.weight", a.hidden);
  layer.q_norm = tensors->vector_if(traits.head_norms, attention + "q_norm.weight", a.head_dim);
  layer.k_norm = tensors->vector_if(traits.head_norms, attention + "k_norm.weight", a.head_dim);
  layer.ffn_norm = tensors->vector(prefix + "post_attention_layernorm.weight", a.hidden);
  return layer;
}

}  // namespace

Checkpoint read_llama(const JsonObject& config, Tensors* tensors) {
  const std::string family = config.text("model_type");
  Checkpoint c;
  Architecture& a = c.architecture;
  a = decoder_sizes(family, config);
  c.embedding = tensors->matrix("model.embed_tokens.weight", a.vocabulary, a.hidden);
  const Traits own = traits(family, config);
  for (std::size_t l = 0; l < a.layers; ++l) c.layers.push_back(read_layer(l, a, own, tensors));
  // After the weights: their shapes have shown that sizes are not absurd.
  a.rotary = rotary(config, a.head_dim, a.max_positions);
  if (tensors->has(kRotaryFactors)) divide_frequencies(config, tensors, &a.rotary);
  a.spans = spans(family, config, a.layers);
  c.final_norm = tensors->vector("model.norm.weight", a.hidden);
  c.head = head_of(c.embedding, config.flag("tie_word_embeddings"), tensors);
  return c;
}

}  // namespace axelram::checkpoints
