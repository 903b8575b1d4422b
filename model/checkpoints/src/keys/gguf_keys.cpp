#include "keys/gguf_keys.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace axelram::checkpoints {
namespace {

using nlohmann::json;
using enum GgufType;

constexpr std::string_view kEvery = "llama qwen2 qwen3 gemma3 gpt2";
constexpr std::string_view kTurned = "llama qwen2 qwen3 gemma3";  // by a rotary embedding
constexpr std::string_view kGpt2 = "gpt2", kGemma3 = "gemma3";

constexpr GgufKey kGgufKeys[] = {
    // Sizes.
    {kTurned, "vocab_size", size, "vocab_size", "=token_embd.weight", ""},
    {kTurned, "context_length", size, "max_position_embeddings", kRefused, ""},
    {kTurned, "embedding_length", size, "hidden_size", kRefused, ""},
    {kTurned, "block_count", size, "num_hidden_layers", kRefused, ""},
    {kTurned, "feed_forward_length", sizes, "intermediate_size", kRefused, ""},
    {kTurned, "attention.head_count", sizes, "num_attention_heads", kRefused, ""},
    {kTurned, "attention.head_count_kv", sizes, "num_key_value_heads", "=attention.head_count", ""},
    {kTurned, "attention.key_length", size, "head_dim", "=embedding_length / attention.head_count",
     ""},
    {kTurned, "attention.layer_norm_rms_epsilon", real, "rms_norm_eps", kRefused, ""},
    {kGpt2, "vocab_size", size, "vocab_size", "=token_embd.weight", ""},
    {kGpt2, "context_length", size, "n_positions", kRefused, ""},
    {kGpt2, "embedding_length", size, "n_embd", kRefused, ""},
    {kGpt2, "block_count", size, "n_layer", kRefused, ""},
    {kGpt2, "feed_forward_length", sizes, "n_inner", kRefused, ""},
    {kGpt2, "attention.head_count", sizes, "n_head", kRefused, ""},
    {kGpt2, "attention.head_count_kv", sizes, "", "null", "=attention.head_count"},
    {kGpt2, "attention.key_length", size, "", "=embedding_length / attention.head_count",
     "=embedding_length / attention.head_count"},
    {kGpt2, "attention.layer_norm_epsilon", real, "layer_norm_epsilon", kRefused, ""},
    {kEvery, "attention.value_length", size, "", "null", "=attention.key_length"},
    {kEvery, "embedding_length_out", size, "", "null", "=embedding_length"},
    // Rotary embedding. The older names of scaling.factor and of Gemma's bases have no row in
    // llama.cpp's newer releases.
    {kEvery, "rope.dimension_count", size, "", "null", "=attention.key_length"},
    {kGemma3, "rope.global.freq_base", real, "", "null", "=rope.freq_base"},
    {kGemma3, "rope.local.freq_base", real, "", "null", "=rope.freq_base_swa"},
    {kGemma3, "rope.freq_base", real, "rope_theta", "=rope.global.freq_base or 10000.0", ""},
    {kGemma3, "rope.freq_base_swa", real, "rope_local_base_freq",
     "=rope.local.freq_base or 10000.0", ""},
    {"llama qwen2 qwen3", "rope.freq_base", real, "rope_theta", "10000.0", ""},
    {kTurned, "rope.scale_linear", real, "", "null", "*"},
    {kTurned, "rope.scaling.type", text, "", R"("linear")", R"(["none", "linear", "yarn"])"},
    {kTurned, "rope.scaling.factor", real, "", "=rope.scale_linear or 1", "*"},
    {kTurned, "rope.scaling.original_context_length", size, "", "=context_length", "*"},
    {kTurned, "rope.scaling.yarn_beta_fast", real, "", "32", "*"},
    {kTurned, "rope.scaling.yarn_beta_slow", real, "", "1", "*"},
    {kTurned, "rope.scaling.finetuned", flag, "", "null", "*"},
    {kTurned, "rope.scaling.attn_factor", real, "", "null", "[1]"},
    {kTurned, "rope.scaling.yarn_attn_factor", real, "", "null", "[1]"},
    {kTurned, "rope.scaling.yarn_ext_factor", real, "", "null", "[-1]"},
    {kTurned, "rope.scaling.yarn_log_multiplier", real, "", "null", "[0]"},
    {kTurned, "rope.scaling.alpha", real, "", "null", "[0]"},
    {kGemma3, "attention.key_length_swa", size, "", "null", "=attention.key_length"},
    {kGemma3, "attention.value_length_swa", size, "", "null", "=attention.key_length"},
    {kGemma3, "rope.dimension_count_swa", size, "", "null", "=attention.key_length"},
    // Attention.
    {kGemma3, "attention.sliding_window", size, "sliding_window", kRefused, ""},
    {kGemma3, "attention.sliding_window_pattern", flags, "", "null", "sliding 5 of 6"},
    {"llama qwen2 qwen3 gpt2", "attention.sliding_window", size, "", "null", ">=context_length"},
    {kEvery, "attention.causal", flag, "", "null", "[true]"},
    {"llama qwen2 qwen3 gpt2", "attention.scale", real, "", "null", "1/sqrt attention.key_length"},
    {kEvery, "attention.clamp_kqv", real, "", "null", "[0]"},
    {kEvery, "attention.max_alibi_bias", real, "", "null", "[0]"},
    {kEvery, "attention.output_scale", real, "", "null", "[0, 1]"},
    {kEvery, "attn_logit_softcapping", real, "", "null", "[0]"},
    {kEvery, "final_logit_softcapping", real, "", "null", "[0]"},
    {kEvery, "pooling_type", size, "", "null", "[0]"},
    // Experts, of which a model has none.
    {kEvery, "expert_count", size, "", "null", "[0]"},
    {kEvery, "expert_used_count", sizes, "", "null", "[0]"},
    {kEvery, "expert_shared_count", size, "", "null", "[0]"},
    {kEvery, "expert_group_count", size, "", "null", "[0]"},
    {kEvery, "expert_group_used_count", size, "", "null", "[0]"},
    {kEvery, "expert_feed_forward_length", size, "", "null", "[0]"},
    {kEvery, "expert_shared_feed_forward_length", size, "", "null", "[0]"},
    {kEvery, "expert_gating_func", size, "", "null", "*"},
    {kEvery, "expert_weights_scale", real, "", "null", "*"},
    {kEvery, "expert_weights_norm", flag, "", "null", "*"},
    {kEvery, "leading_dense_block_count", size, "", "null", "*"},
    {kEvery, "interleave_moe_layer_step", size, "", "null", "*"},
    {kEvery, "moe_every_n_layers", size, "", "null", "*"},
    {kEvery, "nextn_predict_layers", size, "", "null", "[0]"},
    // Other factors and forms.
    {kEvery, "logit_scale", real, "", "null", "[0, 1]"},
    {kEvery, "residual_scale", real, "", "null", "[0, 1]"},
    {"llama qwen2 qwen3 gpt2", "embedding_scale", real, "", "null", "[0, 1]"},
    {kEvery, "use_parallel_residual", flag, "", "null", "[false]"},
    {"llama qwen2 qwen3", "hidden_activation", text, "", "null", R"(["silu"])"},
    {"gemma3 gpt2", "hidden_activation", text, "", "null",
     R"(["gelu_pytorch_tanh", "gelu_new"])"},
    // Rows of queries and keys of a Llama model lie in pairs: Meta's order.
    {"llama", "tensor_data_layout", text, "", "null", R"(["Meta AI original pth", "reference", ""])"},
    {"qwen2 qwen3 gemma3 gpt2", "tensor_data_layout", text, "", "null", R"(["reference", ""])"},
};

/// A F32 of the metadata as the number that a config.json has: the shortest decimal.
double shortest(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.begin(), text.end(), static_cast<float>(value)).ptr;
  double result = 0;
  std::from_chars(text.begin(), end, result);
  return result;
}

/// A whole number as a parser of JSON has it: unsigned unless negative.
json whole(std::int64_t value) {
  return value < 0 ? json(value) : json(static_cast<std::uint64_t>(value));
}

json equal_sizes(const gguf::Gguf& file, const std::string& key) {
  const std::vector<std::int64_t> all = file.integers(key);
  if (all.empty() || std::any_of(all.begin(), all.end(), [&](auto one) { return one != all[0]; }))
    file.fail(key, "supported is the same number for each layer");
  return whole(all[0]);
}

}  // namespace

std::span<const GgufKey> gguf_keys() { return kGgufKeys; }

json gguf_value(const gguf::Gguf& file, const std::string& key, GgufType type) {
  switch (type) {
    case GgufType::size:
      return whole(file.integer(key));
    case GgufType::sizes:
      return file.is_list(key) ? equal_sizes(file, key) : whole(file.integer(key));
    case GgufType::real:
      return shortest(file.real(key));
    case GgufType::flag:
      return file.flag(key);
    case GgufType::text:
      return file.text(key);
    case GgufType::flags:
      return file.is_list(key) ? json(file.flags(key)) : whole(file.integer(key));
  }
  return nullptr;
}

std::string gguf_keys_markdown() {
  std::string text = "| key | architectures | absent | values that are read |\n|---|---|---|---|\n";
  for (const GgufKey& row : kGgufKeys)
    text += "| `" + std::string(row.key) + "` | " + std::string(row.of) + " | " +
            meaning_cell(row.absent) + " | " + (row.held.empty() ? "all" : held_cell(row.held)) +
            " |\n";
  return text;
}

}  // namespace axelram::checkpoints
