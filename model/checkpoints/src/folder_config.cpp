#include "folder_config.hpp"

#include "families.hpp"
#include "llama3_scaling.hpp"

namespace axelram::checkpoints {
namespace {

using nlohmann::json;

void set_gpt2_sizes(const Architecture& a, json* config) {
  json& c = *config;
  c["n_embd"] = a.hidden;
  c["n_layer"] = a.layers;
  c["n_head"] = a.heads;
  c["n_inner"] = a.ffn;
  c["n_positions"] = a.max_positions;
  c["layer_norm_epsilon"] = a.norm_epsilon;
  c["activation_function"] = "gelu_new";
}

void set_decoder_sizes(const Architecture& a, json* config) {
  json& c = *config;
  c["hidden_size"] = a.hidden;
  c["num_hidden_layers"] = a.layers;
  c["num_attention_heads"] = a.heads;
  c["num_key_value_heads"] = a.kv_heads;
  c["head_dim"] = a.head_dim;
  c["intermediate_size"] = a.ffn;
  c["max_position_embeddings"] = a.max_positions;
  c["rms_norm_eps"] = a.norm_epsilon;
}

void set_gemma3(const Architecture& a, json* config) {
  json& c = *config;
  c["hidden_activation"] = "gelu_pytorch_tanh";
  c["query_pre_attn_scalar"] = static_cast<std::uint64_t>(a.query_scalar);
  json types = json::array();
  for (const std::size_t span : a.spans)
    types.push_back(span == 0 ? "full_attention" : "sliding_attention");
  c["layer_types"] = std::move(types);
}

/// Ids that begin, end and fill texts; null where the file names none, since classes have defaults.
void set_ids(const GgufModel& model, json* config) {
  for (const auto& [role, to] :
       {std::pair{"bos", "bos_token_id"}, {"eos", "eos_token_id"}, {"padding", "pad_token_id"}}) {
    const std::string key = std::string("tokenizer.ggml.") + role + "_token_id";
    json& id = (*config)[to] = nullptr;
    if (!model.file->has(key)) continue;
    const std::int64_t value = model.file->integer(key);
    const std::size_t vocabulary = model.checkpoint.architecture.vocabulary;
    const bool exists = value >= 0 && static_cast<std::uint64_t>(value) < vocabulary;
    // Converters write ids of no token for texts that are not filled up.
    if (!exists && role == std::string("padding")) continue;
    if (!exists) model.file->fail(key, "it must be an id in 0.." + std::to_string(vocabulary - 1));
    id = static_cast<std::uint64_t>(value);
  }
}

}  // namespace

json folder_config(const GgufModel& model) {
  const Architecture& a = model.checkpoint.architecture;
  const std::string type = model.config.text("model_type");
  json config = model.config.json();
  config["architectures"] = {family_of(model.config).class_name};
  // The least type that holds all tensors as they are. A model in F16 would round its norms, and
  // Gemma's activations go beyond F16.
  config["torch_dtype"] = "float32";
  config["vocab_size"] = a.vocabulary;
  if (type == "gpt2")
    set_gpt2_sizes(a, &config);
  else
    set_decoder_sizes(a, &config);
  if (type == "gemma3_text")
    set_gemma3(a, &config);
  else if (type != "gpt2")
    config["hidden_act"] = "silu";
  set_ids(model, &config);
  add_llama3_scaling(model, &config);
  return config;
}

}  // namespace axelram::checkpoints
