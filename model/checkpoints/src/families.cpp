#include "families.hpp"

#include "axelram/files/messages.hpp"
#include "keys/config_keys.hpp"

namespace axelram::checkpoints {
namespace {

constexpr Family kFamilies[] = {
    {"llama", "llama", "LlamaForCausalLM", read_llama},
    {"mistral", "mistral", "MistralForCausalLM", read_llama},
    {"ministral", "ministral", "MinistralForCausalLM", read_llama},
    {"qwen2", "qwen2", "Qwen2ForCausalLM", read_llama},
    {"qwen3", "qwen3", "Qwen3ForCausalLM", read_llama},
    {"gemma3_text", "gemma3_text", "Gemma3ForCausalLM", read_gemma3},
    {"gemma3", "gemma3_text", "Gemma3ForCausalLM", read_gemma3},  // as some write the text model
    {"gpt2", "gpt2", "GPT2LMHeadModel", read_gpt2},
};

/// `of` of the rows in config_keys(). transformers reads a Mistral model with layer_types, also if
/// it is null, as a Ministral one.
std::string keys_of(const Family& family, const JsonObject& config) {
  const bool ministral = family.keys == std::string("mistral");
  return ministral && config.json().contains("layer_types") ? "ministral" : family.keys;
}

}  // namespace

const Family& family_of(const JsonObject& config) {
  const std::string model_type = config.text("model_type");
  std::vector<std::string> names;
  for (const Family& family : kFamilies) {
    if (model_type == family.model_type) return family;
    names.emplace_back(family.model_type);
  }
  config.fail("model_type", "supported are " + files::any_of(names));
}

Checkpoint read_weights(const JsonObject& config, Tensors* tensors) {
  const Family& family = family_of(config);
  const std::string keys = keys_of(family, config);
  const JsonObject whole = completed(config, config_keys(), keys);
  tensors->explain(assumed_sizes(whole, keys));
  Checkpoint checkpoint = family.read(whole, tensors);
  tensors->check_all_used(family.model_type);
  checkpoint.files = tensors->files();
  return checkpoint;
}

}  // namespace axelram::checkpoints
