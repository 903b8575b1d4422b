#include <cmath>

#include "families.hpp"
#include "rotary.hpp"

namespace axelram::checkpoints {
namespace {

/// Differences between the families.
struct Traits {
  bool qkv_bias, o_bias, mlp_bias, head_norms;
};

Traits traits(const std::string& family, const JsonObject& config) {
  if (family == "qwen2") return {true, false, false, false};
  const bool attention = family != "mistral" && config.flag("attention_bias", false);
  const bool mlp = family == "llama" && config.flag("mlp_bias", false);
  return {attention, attention, mlp, family == "qwen3"};
}

/// A window that slides in some layers is not modelled; within it attention is the same.
std::size_t longest(const std::string& family, const JsonObject& config) {
  const std::size_t positions = config.count("max_position_embeddings");
  const bool slides = family == "mistral" || config.flag("use_sliding_window", false);
  if (!slides || !config.has("sliding_window")) return positions;
  return std::min(positions, config.count("sliding_window"));
}

Architecture architecture(const std::string& family, const JsonObject& config) {
  Architecture a;
  a.family = family;
  a.hidden = config.count("hidden_size");
  a.layers = config.count("num_hidden_layers");
  a.heads = config.count("num_attention_heads");
  a.kv_heads = config.count("num_key_value_heads", a.heads);
  if (!config.has("head_dim") && a.hidden % a.heads != 0)
    config.fail("num_attention_heads", "it must divide hidden_size where head_dim is not given");
  a.head_dim = config.count("head_dim", a.hidden / a.heads);
  a.ffn = config.count("intermediate_size");
  a.vocabulary = config.count("vocab_size");
  a.max_positions = longest(family, config);
  a.norm_epsilon = config.positive("rms_norm_eps", 1e-6);
  check_heads(config, a);
  if (a.head_dim % 2 != 0) config.fail("head_dim", "rotary embedding needs an even one");
  if (config.text("hidden_act", "silu") != "silu") config.fail("hidden_act", "supported is silu");
  return a;
}

/// GGUF files have the scaling of Llama 3.1 as a tensor: divisors of the frequencies.
constexpr char kRotaryFactors[] = "rope_freqs.weight";

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
  const std::string attention = prefix + "self_attn.", mlp = prefix + "mlp.";
  const std::size_t queries = a.heads * a.head_dim, keys = a.kv_heads * a.head_dim;
  const auto bias = [&](bool wanted, const std::string& name, std::size_t size) {
    return tensors->vector_if(wanted, name + "_proj.bias", size);
  };
  Layer layer;
  layer.attention_norm = tensors->vector(prefix + "input_layernorm.weight", a.hidden);
  layer.q = tensors->matrix(attention + "q_proj.weight", queries, a.hidden);
  layer.k = tensors->matrix(attention + "k_proj.weight", keys, a.hidden);
  layer.v = tensors->matrix(attention + "v_proj.weight", keys, a.hidden);
  layer.o = tensors->matrix(attention + "o_proj.weight", a.hidden, queries);
  layer.q_bias = bias(traits.qkv_bias, attention + "q", queries);
  layer.k_bias = bias(traits.qkv_bias, attention + "k", keys);
  layer.v_bias = bias(traits.qkv_bias, attention + "v", keys);
  layer.o_bias = bias(traits.o_bias, attention + "o", a.hidden);
  layer.q_norm = tensors->vector_if(traits.head_norms, attention + "q_norm.weight", a.head_dim);
  layer.k_norm = tensors->vector_if(traits.head_norms, attention + "k_norm.weight", a.head_dim);
  layer.key_offset =
      tensors->vector_if(tensors->has(attention + "key_offset"), attention + "key_offset", keys);
  layer.ffn_norm = tensors->vector(prefix + "post_attention_layernorm.weight", a.hidden);
  layer.gate = tensors->matrix(mlp + "gate_proj.weight", a.ffn, a.hidden);
  layer.up = tensors->matrix(mlp + "up_proj.weight", a.ffn, a.hidden);
  layer.down = tensors->matrix(mlp + "down_proj.weight", a.hidden, a.ffn);
  layer.gate_bias = bias(traits.mlp_bias, mlp + "gate", a.ffn);
  layer.up_bias = bias(traits.mlp_bias, mlp + "up", a.ffn);
  layer.down_bias = bias(traits.mlp_bias, mlp + "down", a.hidden);
  tensors->ignore(attention + "rotary_emb.inv_freq");
  return layer;
}

}  // namespace

Checkpoint read_llama(const std::string& family, const JsonObject& config, Tensors* tensors) {
  Checkpoint c;
  Architecture& a = c.architecture;
  a = architecture(family, config);
  c.embedding = tensors->matrix("model.embed_tokens.weight", a.vocabulary, a.hidden);
  const Traits own = traits(family, config);
  for (std::size_t l = 0; l < a.layers; ++l) c.layers.push_back(read_layer(l, a, own, tensors));
  // After the weights: their shapes have shown that head_dim is not absurd.
  a.rotary = rotary(config, a.head_dim, config.count("max_position_embeddings"));
  if (tensors->has(kRotaryFactors)) divide_frequencies(config, tensors, &a.rotary);
  c.final_norm = tensors->vector("model.norm.weight", a.hidden);
  if (config.flag("tie_word_embeddings", false)) {
    c.head = c.embedding;
    tensors->ignore("lm_head.weight");
  } else {
    c.head = tensors->matrix("lm_head.weight", a.vocabulary, a.hidden);
  }
  return c;
}

}  // namespace axelram::checkpoints
