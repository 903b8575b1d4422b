#include "keys/gguf_keys.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace axelram::checkpoints {
namespace {

using nlohmann::json;

constexpr auto kSize = GgufType::size, kSizeEach = GgufType::sizes, kReal = GgufType::real;
constexpr auto kFlag = GgufType::flag, kFlags = GgufType::flags, kText = GgufType::text;
constexpr std::string_view kEvery = "llama qwen2 qwen3 gemma3 gpt2";
constexpr std::string_view kTurned = "llama qwen2 qwen3 gemma3";  // by a rotary embedding
constexpr std::string_view kGemma3 = "gemma3";

constexpr GgufKey kGgufKeys[] = {
    // Sizes.
    {kTurned, "vocab_size", kSize, "vocab_size", "=token_embd.weight", ""},
    {kTurned, "context_length", kSize, "max_position_embeddings", kRejected, ""},
    {kTurned, "embedding_length", kSize, "hidden_size", kRejected, ""},
    {kTurned, "block_count", kSize, "num_hidden_layers", kRejected, ""},
    {kTurned, "feed_forward_length", kSizeEach, "intermediate_size", kRejected, ""},
    {kTurned, "attention.head_count", kSizeEach, "num_attention_heads", kRejected, ""},
    {kTurned, "attention.head_count_kv", kSizeEach, "num_key_value_heads", "=attention.head_count",
     ""},
    {kTurned, "attention.key_length", kSize, "head_dim", "=embedding_length / attention.head_count",
     ""},
    {kTurned, "attention.layer_norm_rms_epsilon", kReal, "rms_norm_eps", kRejected, ""},
    {"gpt2", "vocab_size", kSize, "vocab_size", "=token_embd.weight", ""},
    {"gpt2", "context_length", kSize, "n_positions", kRejected, ""},
    {"gpt2", "embedding_length", kSize, "n_embd", kRejected, ""},
    {"gpt2", "block_count", kSize, "n_layer", kRejected, ""},
    {"gpt2", "feed_forward_length", kSizeEach, "n_inner", kRejected, ""},
    {"gpt2", "attention.head_count", kSizeEach, "n_head", kRejected, ""},
    {"gpt2", "attention.head_count_kv", kSizeEach, "", "null", "=attention.head_count"},
    {"gpt2", "attention.key_length", kSize, "", "=embedding_length / attention.head_count",
     "=embedding_length / attention.head_count"},
    {"gpt2", "attention.layer_norm_epsilon", kReal, "layer_norm_epsilon", kRejected, ""},
    {kEvery, "attention.value_length", kSize, "", "null", "=attention.key_length"},
    {kEvery, "embedding_length_out", kSize, "", "null", "=embedding_length"},
    // Rotary embedding. Gemma's bases have two names each, by the converter; scale_linear is the
    // older name of scaling.factor.
    {kEvery, "rope.dimension_count", kSize, "", "null", "=attention.key_length"},
    {kGemma3, "rope.global.freq_base", kReal, "", "null", "=rope.freq_base"},
    {kGemma3, "rope.local.freq_base", kReal, "", "null", "=rope.freq_base_swa"},
    {kGemma3, "rope.freq_base", kReal, "rope_theta", "=rope.global.freq_base or 10000.0", ""},
    {kGemma3, "rope.freq_base_swa", kReal, "rope_local_base_freq",
     "=rope.local.freq_base or 10000.0", ""},
    {"llama qwen2 qwen3", "rope.freq_base", kReal, "rope_theta", "10000.0", ""},
    {kTurned, "rope.scale_linear", kReal, "", "null", ""},
    {kTurned, "rope.scaling.type", kText, "", R"("linear")", R"(["none", "linear", "yarn"])"},
    {kTurned, "rope.scaling.factor", kReal, "", "=rope.scale_linear or 1", ""},
    {kTurned, "rope.scaling.original_context_length", kSize, "", "=context_length", ""},
    {kTurned, "rope.scaling.yarn_beta_fast", kReal, "", "32", ""},
    {kTurned, "rope.scaling.yarn_beta_slow", kReal, "", "1", ""},
    {kTurned, "rope.scaling.finetuned", kFlag, "", "null", "*"},
    {kTurned, "rope.scaling.attn_factor", kReal, "", "null", "[1]"},
    {kTurned, "rope.scaling.yarn_attn_factor", kReal, "", "null", "[1]"},
    {kTurned, "rope.scaling.yarn_ext_factor", kReal, "", "null", "-1, 1 if yarn else 0"},
    {kTurned, "rope.scaling.yarn_log_multiplier", kReal, "", "null", "[0]"},
    {kTurned, "rope.scaling.alpha", kReal, "", "null", "[0]"},
    {kGemma3, "attention.key_length_swa", kSize, "", "null", "=attention.key_length"},
    {kGemma3, "attention.value_length_swa", kSize, "", "null", "=attention.key_length"},
    {kGemma3, "rope.dimension_count_swa", kSize, "", "null", "=attention.key_length"},
    // Attention.
    {kGemma3, "attention.sliding_window", kSize, "sliding_window", kRejected, ""},
    {kGemma3, "attention.sliding_window_pattern", kFlags, "", "null", "sliding 5 of 6"},
    {"llama qwen2 qwen3 gpt2", "attention.sliding_window", kSize, "", "null", ">=context_length"},
    {kEvery, "attention.causal", kFlag, "", "null", "[true]"},
    {"llama qwen2 qwen3 gpt2", "attention.scale", kReal, "", "null", "1/sqrt attention.key_length"},
    {kEvery, "attention.clamp_kqv", kReal, "", "null", "[0]"},
    {kEvery, "attention.max_alibi_bias", kReal, "", "null", "[0]"},
    {kEvery, "attention.output_scale", kReal, "", "null", "[0, 1]"},
    {kEvery, "attn_logit_softcapping", kReal, "", "null", "[0]"},
    {kEvery, "final_logit_softcapping", kReal, "", "null", "[0]"},
    {kEvery, "pooling_type", kSize, "", "null", "[0]"},
    // Experts, of which a model has none.
    {kEvery, "expert_count", kSize, "", "null", "[0]"},
    {kEvery, "expert_used_count", kSizeEach, "", "null", "[0]"},
    {kEvery, "expert_shared_count", kSize, "", "null", "[0]"},
    {kEvery, "expert_group_count", kSize, "", "null", "[0]"},
    {kEvery, "expert_group_used_count", kSize, "", "null", "[0]"},
    {kEvery, "expert_feed_forward_length", kSize, "", "null", "[0]"},
    {kEvery, "expert_shared_feed_forward_length", kSize, "", "null", "[0]"},
    {kEvery, "expert_gating_func", kSize, "", "null", "*"},
    {kEvery, "expert_weights_scale", kReal, "", "null", "*"},
    {kEvery, "expert_weights_norm", kFlag, "", "null", "*"},
    {kEvery, "leading_dense_block_count", kSize, "", "null", "*"},
    {kEvery, "interleave_moe_layer_step", kSize, "", "null", "*"},
    {kEvery, "moe_every_n_layers", kSize, "", "null", "*"},
    {kEvery, "nextn_predict_layers", kSize, "", "null", "[0]"},
    // Other factors and forms.
    {kEvery, "logit_scale", kReal, "", "null", "[0, 1]"},
    {kEvery, "residual_scale", kReal, "", "null", "[0, 1]"},
    {"llama qwen2 qwen3 gpt2", "embedding_scale", kReal, "", "null", "[0, 1]"},
    {kEvery, "use_parallel_residual", kFlag, "", "null", "[false]"},
    {"llama qwen2 qwen3", "hidden_activation", kText, "", "null", R"(["silu"])"},
    {"gemma3 gpt2", "hidden_activation", kText, "", "null", R"(["gelu_pytorch_tanh", "gelu_new"])"},
    // Rows of queries and keys of a Llama model lie in pairs: Meta's order.
    {"llama", "tensor_data_layout", kText, "", "null",
     R"(["Meta AI original pth", "reference", ""])"},
    {"qwen2 qwen3 gemma3 gpt2", "tensor_data_layout", kText, "", "null", R"(["reference", ""])"},
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

/// All of a list that has an entry for each layer.
template <class T>
std::vector<T> for_each_layer(std::vector<T> all, const gguf::Gguf& file, const std::string& key,
                              const json& layers) {
  if (json(all.size()) != layers)
    file.fail(key, "it must have an entry for each of the " + layers.dump() + " layers");
  return all;
}

json equal_sizes(const gguf::Gguf& file, const std::string& key, const json& layers) {
  const std::vector<std::int64_t> all = for_each_layer(file.integers(key), file, key, layers);
  if (all.empty() || std::any_of(all.begin(), all.end(), [&](auto one) { return one != all[0]; }))
    file.fail(key, "supported is the same number for each layer");
  return whole(all[0]);
}

}  // namespace

std::span<const GgufKey> gguf_keys() { return kGgufKeys; }

json gguf_value(const gguf::Gguf& file, const std::string& key, GgufType type, const json& layers) {
  switch (type) {
    case GgufType::size:
      return whole(file.integer(key));
    case GgufType::sizes:
      return file.is_list(key) ? equal_sizes(file, key, layers) : whole(file.integer(key));
    case GgufType::real:
      return shortest(file.real(key));
    case GgufType::flag:
      return file.flag(key);
    case GgufType::text:
      return file.text(key);
    case GgufType::flags:
      return file.is_list(key) ? json(for_each_layer(file.flags(key), file, key, layers))
                               : whole(file.integer(key));
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
