#include "axelram/checkpoints/checkpoint.hpp"

#include <filesystem>

#include "axelram/files/messages.hpp"
#include "families.hpp"
#include "gguf_model.hpp"

namespace axelram::checkpoints {
namespace {

Checkpoint read_folder(const std::string& folder) {
  const JsonObject config = JsonObject::read(folder + "/config.json");
  const std::string family = config.text("model_type");
  const bool gemma3 = family == "gemma3_text" || family == "gemma3";
  if (family != "llama" && family != "mistral" && family != "qwen2" && family != "qwen3" &&
      !gemma3 && family != "gpt2")
    config.fail("model_type", "supported are llama, mistral, qwen2, qwen3, gemma3_text and gpt2");
  for (const std::string part : {"text_config", "vision_config"})
    if (config.has(part))
      config.fail("model_type", "it is a multimodal model, by its " + part +
                                    "; supported are models of text alone, such as gemma3_text");
  if (config.has("quantization_config"))
    config.fail("quantization_config", "supported are plain F32, F16 and BF16 weights");
  Tensors tensors = Tensors::of_folder(folder);
  return read_weights(config, &tensors);
}

}  // namespace

Checkpoint read_weights(const JsonObject& config, Tensors* tensors) {
  const std::string family = config.text("model_type");
  Checkpoint checkpoint = family == "gpt2" ? read_gpt2(config, tensors)
                          : family == "gemma3_text" || family == "gemma3"
                              ? read_gemma3(config, tensors)
                              : read_llama(family, config, tensors);
  tensors->check_all_used(family);
  checkpoint.files = tensors->files();
  return checkpoint;
}

void check_heads(const JsonObject& config, const Architecture& architecture) {
  if (architecture.heads % architecture.kv_heads != 0)
    config.fail("num_key_value_heads",
                "it must divide num_attention_heads, " + std::to_string(architecture.heads));
}

Checkpoint read_checkpoint(const std::string& path) {
  std::error_code unknown;  // of a path that cannot be followed: opening it says why
  Checkpoint checkpoint = std::filesystem::is_directory(path, unknown) ? read_folder(path)
                          : gguf::Gguf::is_gguf(path)                  ? read_gguf(path).checkpoint
                                                                       : read_llama2c(path);
  checkpoint.path = path;
  return checkpoint;
}

}  // namespace axelram::checkpoints
