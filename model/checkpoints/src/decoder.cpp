#include "decoder.hpp"

#include "coda.hpp"
#include "families.hpp"

namespace axelram::checkpoints {

Architecture decoder_sizes(const std::string& family, const JsonObject& config) {
  Architecture a;
  a.family = family;
  a.hidden = config.count("hidden_size");
  a.layers = config.count("num_hidden_layers");
  a.heads = config.count("num_attention_heads");
  a.kv_heads = config.count("num_key_value_heads");
  if (config.is_assumed("head_dim") && config.json().at("head_dim").is_number_float())
    config.fail("num_attention_heads", "it must divide hidden_size where head_dim is not given");
  a.head_dim = config.count("head_dim");
  a.ffn = config.count("intermediate_size");
  a.vocabulary = config.count("vocab_size");
  a.max_positions = config.count("max_position_embeddings");
  a.norm_epsilon = config.positive("rms_norm_eps");
  check_heads(config, a);
  if (a.head_dim % 2 != 0) config.fail("head_dim", "rotary embedding needs an even one");
  if (config.has("coda")) a.coda = read_coda(config.object("coda"));
  return a;
}

Layer decoder_projections(const std::string& prefix, const Architecture& a,
                          const DecoderBiases& biases, Tensors* tensors) {
  const std::string attention = prefix + "self_attn.", mlp = prefix + "mlp.";
  const std::size_t queries = a.heads * a.head_dim, keys = a.kv_heads * a.head_dim;
  const auto bias = [&](bool wanted, const std::string& name, std::size_t size) {
    return tensors->vector_if(wanted, name + "_proj.bias", size);
  };
  Layer layer;
  layer.q = tensors->matrix(attention + "q_proj.weight", queries, a.hidden);
  layer.k = tensors->matrix(attention + "k_proj.weight", keys, a.hidden);
  layer.v = tensors->matrix(attention + "v_proj.weight", keys, a.hidden);
  layer.o = tensors->matrix(attention + "o_proj.weight", a.hidden, queries);
  layer.q_bias = bias(biases.qkv, attention + "q", queries);
  layer.k_bias = bias(biases.qkv, attention + "k", keys);
  layer.v_bias = bias(biases.qkv, attention + "v", keys);
  layer.o_bias = bias(biases.o, attention + "o", a.hidden);
  layer.key_offset =
      tensors->vector_if(tensors->has(attention + "key_offset"), attention + "key_offset", keys);
  if (a.coda) layer.coda = read_coda_weights(attention, a, tensors);
  layer.gate = tensors->matrix(mlp + "gate_proj.weight", a.ffn, a.hidden);
  layer.up = tensors->matrix(mlp + "up_proj.weight", a.ffn, a.hidden);
  layer.down = tensors->matrix(mlp + "down_proj.weight", a.hidden, a.ffn);
  layer.gate_bias = bias(biases.mlp, mlp + "gate", a.ffn);
  layer.up_bias = bias(biases.mlp, mlp + "up", a.ffn);
  layer.down_bias = bias(biases.mlp, mlp + "down", a.hidden);
  tensors->ignore(attention + "rotary_emb.inv_freq");
  return layer;
}

std::size_t sliding_window(const JsonObject& config) {
  return config.has("sliding_window") ? config.count("sliding_window") : 0;
}

std::vector<std::size_t> spans_by_type(const JsonObject& config, std::size_t layers,
                                       std::size_t window) {
  std::vector<std::size_t> spans;
  for (const std::string& type : config.texts("layer_types")) {
    // `attention` is the older name of full_attention.
    if (type != "full_attention" && type != "attention" && type != "sliding_attention")
      config.fail("layer_types", "supported are full_attention and sliding_attention");
    const bool slides = type == "sliding_attention";
    if (slides && window == 0)
      config.fail("layer_types", "sliding_attention needs a sliding_window that is in use");
    spans.push_back(slides ? window : 0);
  }
  if (spans.size() != layers)
    config.fail("layer_types",
                "it must have an entry for each of the " + std::to_string(layers) + " layers");
  return spans;
}

}  // namespace axelram::checkpoints
