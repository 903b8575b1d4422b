#include "families.hpp"

namespace axelram::checkpoints {
namespace {

Architecture architecture(const JsonObject& config) {
  Architecture a;
  a.family = "gpt2";
  a.hidden = config.count("n_embd");
  a.layers = config.count("n_layer");
  a.heads = config.count("n_head");
  a.kv_heads = a.heads;
  if (a.hidden % a.heads != 0) config.fail("n_head", "it must divide n_embd");
  a.head_dim = a.hidden / a.heads;
  a.ffn = config.count("n_inner");
  a.vocabulary = config.count("vocab_size");
  a.max_positions = config.count("n_positions");
  a.norm_epsilon = config.positive("layer_norm_epsilon");
  a.layer_norm = true;
  a.feed_forward = FeedForward::gelu;
  a.positions = Positions::learned;
  return a;
}

/// A third of the outputs of the joined projection of queries, keys and values.
Matrix part(const Matrix& joined, std::size_t index) {
  Matrix third = joined;
  third.outputs = joined.outputs / 3;
  const std::size_t first = index * third.outputs;
  third.data += weights::bytes_of(joined.type, joined.transposed ? first : first * joined.stride);
  return third;
}

std::vector<float> part(const std::vector<float>& joined, std::size_t index) {
  const auto size = static_cast<std::ptrdiff_t>(joined.size() / 3);
  const auto first = joined.begin() + static_cast<std::ptrdiff_t>(index) * size;
  return {first, first + size};
}

Layer read_layer(const std::string& prefix, const Architecture& a, Tensors* tensors) {
  Layer layer;
  layer.attention_norm = tensors->vector(prefix + "ln_1.weight", a.hidden);
  layer.attention_norm_bias = tensors->vector(prefix + "ln_1.bias", a.hidden);
  const Matrix joined =
      tensors->matrix(prefix + "attn.c_attn.weight", 3 * a.hidden, a.hidden, true);
  const std::vector<float> bias = tensors->vector(prefix + "attn.c_attn.bias", 3 * a.hidden);
  layer.q = part(joined, 0);
  layer.k = part(joined, 1);
  layer.v = part(joined, 2);
  layer.q_bias = part(bias, 0);
  layer.k_bias = part(bias, 1);
  layer.v_bias = part(bias, 2);
  layer.o = tensors->matrix(prefix + "attn.c_proj.weight", a.hidden, a.hidden, true);
  layer.o_bias = tensors->vector(prefix + "attn.c_proj.bias", a.hidden);
  layer.ffn_norm = tensors->vector(prefix + "ln_2.weight", a.hidden);
  layer.ffn_norm_bias = tensors->vector(prefix + "ln_2.bias", a.hidden);
  layer.up = tensors->matrix(prefix + "mlp.c_fc.weight", a.ffn, a.hidden, true);
  layer.up_bias = tensors->vector(prefix + "mlp.c_fc.bias", a.ffn);
  layer.down = tensors->matrix(prefix + "mlp.c_proj.weight", a.hidden, a.ffn, true);
  layer.down_bias = tensors->vector(prefix + "mlp.c_proj.bias", a.hidden);
  tensors->ignore(prefix + "attn.bias");  // the causal mask, not a weight
  tensors->ignore(prefix + "attn.masked_bias");
  return layer;
}

}  // namespace

Checkpoint read_gpt2(const JsonObject& config, Tensors* tensors) {
  if (config.has("coda"))
    config.fail("coda", "differential attention is for models with rotary embedding");
  Checkpoint c;
  c.architecture = architecture(config);
  const Architecture& a = c.architecture;
  const std::string prefix = tensors->has("transformer.wte.weight") ? "transformer." : "";
  c.embedding = tensors->matrix(prefix + "wte.weight", a.vocabulary, a.hidden);
  c.positions = tensors->matrix(prefix + "wpe.weight", a.max_positions, a.hidden);
  for (std::size_t l = 0; l < a.layers; ++l)
    c.layers.push_back(read_layer(prefix + "h." + std::to_string(l) + ".", a, tensors));
  c.final_norm = tensors->vector(prefix + "ln_f.weight", a.hidden);
  c.final_norm_bias = tensors->vector(prefix + "ln_f.bias", a.hidden);
  c.head = head_of(c.embedding, config.flag("tie_word_embeddings"), tensors);
  return c;
}

}  // namespace axelram::checkpoints
