#include <cmath>

#include "decoder.hpp"
#include "families.hpp"
#include "rotary.hpp"

namespace axelram::checkpoints {
namespace {

Architecture gemma3_architecture(const JsonObject& config) {
  Architecture a = decoder_sizes("gemma3", config);
  a.feed_forward = FeedForward::gelu_gated;
  a.embedding_scale = std::sqrt(static_cast<double>(a.hidden));
  a.query_scalar = config.positive("query_pre_attn_scalar");
  return a;
}

/// Attention slides in all layers but every sixth, if layer_types says nothing else.
std::vector<std::size_t> spans(const JsonObject& config, std::size_t layers) {
  const std::size_t window = sliding_window(config);
  if (config.has("layer_types")) return spans_by_type(config, layers, window);
  const std::size_t pattern = config.count("sliding_window_pattern");
  if (window == 0 && pattern > 1)
    config.fail("sliding_window", "the layers in which attention slides need one");
  std::vector<std::size_t> spans(layers, window);
  for (std::size_t l = pattern - 1; l < layers; l += pattern) spans[l] = 0;
  return spans;
}

/// The parameters of one kind of layers in rope_parameters; nothing if they are left out. The class
/// has none to begin with, but a rope_type.
JsonObject rotary_parameters(const JsonObject& config, const std::string& kind) {
  if (!config.has("rope_parameters")) {
    JsonObject plain = config.empty();
    plain.set("rope_type", "default");
    return plain;
  }
  const JsonObject both = config.object("rope_parameters");
  for (const std::string& key : both.keys())
    if (key != "full_attention" && key != "sliding_attention")
      both.fail(key, "parameters lie in full_attention and sliding_attention");
  return both.has(kind) ? both.object(kind) : both.empty();
}

/// Those of the layers that see all tokens, to which rope_scaling belongs.
JsonObject global_parameters(const JsonObject& config) {
  JsonObject parameters = rotary_parameters(config, "full_attention");
  if (!config.has("rope_scaling")) return parameters;
  if (config.has("rope_parameters") && !config.object("rope_parameters").has("full_attention"))
    config.fail("rope_scaling", "rope_parameters needs full_attention, to which it belongs");
  JsonObject scaling = config.object("rope_scaling");
  for (const std::string& key : parameters.keys())
    if (!scaling.json().contains(key)) scaling.set(key, parameters.json().at(key));
  return scaling;
}

/// Since transformers 5 one object holds the parameters of both kinds of layers.
void read_rotary(const JsonObject& config, Architecture* a) {
  const auto read = [&](const JsonObject& parameters, const std::string& theta) {
    if (parameters.json().contains("truncate") && parameters.json().at("truncate") != true)
      parameters.fail("truncate", "supported is true");  // transformers looks for it elsewhere
    return rotary_of(parameters, a->head_dim, a->max_positions, config.positive(theta));
  };
  a->rotary = read(global_parameters(config), "rope_theta");
  a->local_rotary = read(rotary_parameters(config, "sliding_attention"), "rope_local_base_freq");
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
  const bool biases = config.flag("attention_bias");
  for (std::size_t l = 0; l < a.layers; ++l) c.layers.push_back(read_layer(l, a, biases, tensors));
  // After the weights: their shapes have shown that sizes are not absurd.
  read_rotary(config, &a);
  a.spans = spans(config, a.layers);
  c.final_norm = gemma3_norm("model.norm", a.hidden, tensors);
  c.head = head_of(c.embedding, config.flag("tie_word_embeddings"), tensors);
  return c;
}

}  // namespace axelram::checkpoints
