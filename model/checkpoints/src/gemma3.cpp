#include <cmath>

#include "decoder.hpp"
#include "families.hpp"
#include "rotary.hpp"

namespace axelram::checkpoints {
namespace {

Architecture gemma3_architecture(const JsonObject& config) {
  Architecture a = decoder_sizes("gemma3", config, {4, 256});
  a.feed_forward = FeedForward::gelu_gated;
  a.embedding_scale = std::sqrt(static_cast<double>(a.hidden));
  a.query_scalar = config.positive("query_pre_attn_scalar", 256);
  if (config.text("hidden_activation", "gelu_pytorch_tanh") != "gelu_pytorch_tanh")
    config.fail("hidden_activation", "supported is gelu_pytorch_tanh");
  for (const std::string key : {"attn_logit_softcapping", "final_logit_softcapping"})
    if (config.has(key)) config.fail(key, "supported is null");
  if (config.flag("use_bidirectional_attention", false))
    config.fail("use_bidirectional_attention", "supported is false");
  return a;
}

/// Attention slides in all layers but every sixth, if layer_types says nothing else.
std::vector<std::size_t> spans(const JsonObject& config, std::size_t layers) {
  const std::size_t window = config.count("sliding_window", 4096);
  if (config.has("layer_types")) return spans_by_type(config, layers, window);
  const std::size_t pattern = config.count("sliding_window_pattern", 6);
  std::vector<std::size_t> spans(layers, window);
  for (std::size_t l = pattern - 1; l < layers; l += pattern) spans[l] = 0;
  return spans;
}

/// Context scaling belongs to the layers that see all tokens. Since transformers 5 one object holds
/// the parameters of both kinds of layers.
void read_rotary(const JsonObject& config, Architecture* a) {
  const std::size_t d = a->head_dim, positions = a->max_positions;
  if (config.has("rope_parameters")) {
    const JsonObject both = config.object("rope_parameters");
    a->rotary = rotary_of(both.object("full_attention"), d, positions, 1e6);
    a->local_rotary = rotary_of(both.object("sliding_attention"), d, positions, 1e4);
    return;
  }
  a->rotary = rotary(config, d, positions, 1e6);
  a->local_rotary = plain_rotary(config, "rope_local_base_freq", d, 1e4);
}

/// Weights of a norm, stored as their differences from 1.
std::vector<float> gemma3_norm(const std::string& name, std::size_t size, Tensors* tensors) {
  std::vector<float> weights = tensors->vector(name + ".weight", size);
  for (float& weight : weights) weight += 1;
  return weights;
}

Layer read_layer(std::size_t index, const Architecture& a, bool biases, Tensors* tensors) {
  const std::string prefix = "model.layers." + std::to_string(index) + ".";
  Layer layer = decoder_projections(prefix, a, {biases, biases, false}, tensors);
  layer.attention_norm = gemma3_norm(prefix + "input_layernorm", a.hidden, tensors);
  layer.attention_post_norm = gemma3_norm(prefix + "post_attention_layernorm", a.hidden, tensors);
  layer.q_norm = gemma3_norm(prefix + "self_attn.q_norm", a.head_dim, tensors);
  layer.k_norm = gemma3_norm(prefix + "self_attn.k_norm", a.head_dim, tensors);
  layer.ffn_norm = gemma3_norm(prefix + "pre_feedforward_layernorm", a.hidden, tensors);
  layer.ffn_post_norm = gemma3_norm(prefix + "post_feedforward_layernorm", a.hidden, tensors);
  return layer;
}

}  // namespace

Checkpoint read_gemma3(const JsonObject& config, Tensors* tensors) {
  Checkpoint c;
  Architecture& a = c.architecture;
  a = gemma3_architecture(config);
  c.embedding = tensors->matrix("model.embed_tokens.weight", a.vocabulary, a.hidden);
  const bool biases = config.flag("attention_bias", false);
  for (std::size_t l = 0; l < a.layers; ++l) c.layers.push_back(read_layer(l, a, biases, tensors));
  // After the weights: their shapes have shown that sizes are not absurd.
  read_rotary(config, &a);
  a.spans = spans(config, a.layers);
  c.final_norm = gemma3_norm("model.norm", a.hidden, tensors);
  c.head = decoder_head(config.flag("tie_word_embeddings", true), c, tensors);
  return c;
}

}  // namespace axelram::checkpoints
