#include "keys/config_keys.hpp"

namespace axelram::checkpoints {
namespace {

// Defaults are those of the configuration classes of transformers 5.24.

constexpr std::string_view kAll = "llama mistral ministral qwen2 qwen3 gemma3_text gpt2";
constexpr std::string_view kDecoders = "llama mistral ministral qwen2 qwen3 gemma3_text";
constexpr std::string_view kSilu = "llama mistral ministral qwen2 qwen3";  // all but Gemma
constexpr std::string_view kMistral = "mistral ministral", kQwen = "qwen2 qwen3";
constexpr std::string_view kGemma = "gemma3_text";
constexpr Meaning kHeads = "=num_attention_heads";
constexpr Meaning kHeadDim = "=hidden_size / num_attention_heads";
// One function, with different roundings.
constexpr Held kGelu =
    R"(["gelu_pytorch_tanh", "gelu_new", "gelu_fast", "gelu_accurate", "gelu_python_tanh"])";

constexpr ConfigKey kConfigKeys[] = {
    {"llama mistral ministral", "vocab_size", "32000", kRejected, ""},
    {kQwen, "vocab_size", "151936", kRejected, ""},
    {kGemma, "vocab_size", "262208", kRejected, ""},
    {kSilu, "hidden_size", "4096", kRejected, ""},
    {kGemma, "hidden_size", "2304", kRejected, ""},
    {"llama", "intermediate_size", "11008", kRejected, ""},
    {kMistral, "intermediate_size", "14336", kRejected, ""},
    {kQwen, "intermediate_size", "22016", kRejected, ""},
    {kGemma, "intermediate_size", "9216", kRejected, ""},
    {kSilu, "num_hidden_layers", "32", kRejected, ""},
    {kGemma, "num_hidden_layers", "26", kRejected, ""},
    {kSilu, "num_attention_heads", "32", kRejected, ""},
    {kGemma, "num_attention_heads", "8", kRejected, ""},
    {"llama", "num_key_value_heads", kHeads, kHeads, ""},
    {kMistral, "num_key_value_heads", "8", kRejected, ""},
    {kQwen, "num_key_value_heads", "32", kHeads, ""},
    {kGemma, "num_key_value_heads", "4", kRejected, ""},
    {"llama mistral", "head_dim", kHeadDim, kHeadDim, ""},
    {"ministral", "head_dim", kRejected, kRejected, ""},
    {"qwen2", "head_dim", kHeadDim, kRejected, ""},
    {"qwen3", "head_dim", "128", kRejected, ""},
    {kGemma, "head_dim", "256", kRejected, ""},
    {"llama", "max_position_embeddings", "2048", kRejected, ""},
    {"mistral ministral gemma3_text", "max_position_embeddings", "131072", kRejected, ""},
    {kQwen, "max_position_embeddings", "32768", kRejected, ""},
    {kSilu, "hidden_act", R"("silu")", kRejected, R"(["silu", "swish"])"},
    {kGemma, "hidden_activation", R"("gelu_pytorch_tanh")", kRejected, kGelu},
    {kDecoders, "rms_norm_eps", "1e-06", kRejected, ""},
    {kSilu, "tie_word_embeddings", "false", kRejected, ""},
    {"gemma3_text gpt2", "tie_word_embeddings", "true", kRejected, ""},
    {"llama qwen3 gemma3_text", "attention_bias", "false", kRejected, ""},
    {"llama", "mlp_bias", "false", kRejected, ""},
    {kSilu, "rope_theta", "10000.0", "=rope_theta in rope_scaling or rope_parameters", ""},
    {kGemma, "rope_theta", "1000000.0",
     "=rope_scaling.rope_theta or rope_parameters.full_attention.rope_theta", ""},
    {kGemma, "rope_local_base_freq", "10000.0", "=rope_parameters.sliding_attention.rope_theta",
     ""},
    {kDecoders, "rope_scaling", "null", "null", ""},
    {kDecoders, "rope_parameters", "null", "null", ""},
    {kDecoders, "partial_rotary_factor", "1", "1", "[1]"},
    {kSilu, "original_max_position_embeddings", "null", "null", ""},
    {kQwen, "use_sliding_window", "false", kRejected, ""},
    {"mistral qwen2 qwen3 gemma3_text", "sliding_window", "4096", "null", ""},
    {"ministral", "sliding_window", "4096", kRejected, ""},
    {kQwen, "max_window_layers", "28", kRejected, ""},
    {"ministral qwen2 qwen3 gemma3_text", "layer_types", "null", "null", ""},
    {kGemma, "sliding_window_pattern", "6", "=layer_types", ""},
    {kGemma, "query_pre_attn_scalar", "256", kRejected, ""},
    {kGemma, "attn_logit_softcapping", "null", "null", "[null]"},
    {kGemma, "final_logit_softcapping", "null", "null", "[null]"},
    {kGemma, "use_bidirectional_attention", "false", "false", "[false]"},
    {"gpt2", "vocab_size", "50257", kRejected, ""},
    {"gpt2", "n_embd", "=hidden_size or 768", kRejected, ""},
    {"gpt2", "n_layer", "=num_hidden_layers or 12", kRejected, ""},
    {"gpt2", "n_head", "=num_attention_heads or 12", kRejected, ""},
    {"gpt2", "n_positions", "=max_position_embeddings or 1024", kRejected, ""},
    {"gpt2", "hidden_size", "=n_embd", kRejected, "=n_embd"},
    {"gpt2", "num_hidden_layers", "=n_layer", kRejected, "=n_layer"},
    {"gpt2", "num_attention_heads", "=n_head", kRejected, "=n_head"},
    {"gpt2", "max_position_embeddings", "=n_positions", kRejected, "=n_positions"},
    {"gpt2", "n_inner", "=n_embd * 4", "=n_embd * 4", ""},
    {"gpt2", "activation_function", R"("gelu_new")", kRejected, kGelu},
    {"gpt2", "layer_norm_epsilon", "1e-05", kRejected, ""},
    {"gpt2", "scale_attn_weights", "true", kRejected, "[true]"},
    {"gpt2", "scale_attn_by_inverse_layer_idx", "false", kRejected, "[false]"},
    {"gpt2", "reorder_and_upcast_attn", "false", kRejected, "[false, true]"},
    {"gpt2", "add_cross_attention", "false", kRejected, "[false]"},
    {kAll, "is_causal", "true", kRejected, "[true]"},
    {kAll, "per_layer_config", "null", "null", "empty for each of num_hidden_layers"},
};

constexpr std::string_view kAnyKind = "default linear llama3 yarn";

constexpr ConfigKey kRotaryKeys[] = {
    {kAnyKind, "rope_type", R"(=type or "default")", kRejected, ""},
    {kAnyKind, "rope_theta", "=rope_theta", kRejected, ""},
    {"default", "partial_rotary_factor", "1", "1", "[1]"},
    {"linear llama3 yarn", "partial_rotary_factor", "1", kRejected, "[1]"},
    {"llama3 yarn", "original_max_position_embeddings", "=max_position_embeddings", kRejected, ""},
    {"linear llama3", "factor", kRejected, kRejected, ""},
    {"yarn", "factor", kRejected, "=max_position_embeddings / original_max_position_embeddings",
     ""},
    {"llama3", "low_freq_factor", kRejected, kRejected, ""},
    {"llama3", "high_freq_factor", kRejected, kRejected, ""},
    {"yarn", "beta_fast", "32", "32", ""},
    {"yarn", "beta_slow", "1", "1", ""},
    {"yarn", "attention_factor", "null", "null", ""},
    {"yarn", "mscale", "null", "null", ""},
    {"yarn", "mscale_all_dim", "null", "null", ""},
    {"yarn", "truncate", "true", "false", ""},
};

constexpr std::string_view kSizes =
    "vocab_size hidden_size intermediate_size num_hidden_layers num_attention_heads "
    "num_key_value_heads head_dim n_embd n_layer n_head n_positions n_inner";

}  // namespace

std::span<const ConfigKey> config_keys() { return kConfigKeys; }
std::span<const ConfigKey> rotary_keys() { return kRotaryKeys; }

std::string assumed_sizes(const JsonObject& config, std::string_view of) {
  std::string text;
  for (const ConfigKey& row : config_keys()) {
    const std::string key(row.key);
    if (is_one_of(row.of, of) && row.held.empty() && is_one_of(kSizes, key) &&
        config.is_assumed(key))
      text += (text.empty() ? " without " : ", ") + key + " (" + config.json().at(key).dump() + ")";
  }
  return text;
}

std::string config_keys_markdown(std::span<const ConfigKey> rows, const std::string& first) {
  std::string text = "| key | " + first + " | absent | null | values that are read |\n";
  text += "|---|---|---|---|---|\n";
  for (const ConfigKey& row : rows)
    text += "| `" + std::string(row.key) + "` | " + std::string(row.of) + " | " +
            meaning_cell(row.absent) + " | " + meaning_cell(row.null) + " | " +
            (row.held.empty() ? "all" : held_cell(row.held)) + " |\n";
  return text;
}

}  // namespace axelram::checkpoints
