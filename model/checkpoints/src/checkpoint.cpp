#include "axelram/checkpoints/checkpoint.hpp"

#include <filesystem>

#include "families.hpp"
#include "gguf_model.hpp"

namespace axelram::checkpoints {
namespace {

Checkpoint read_folder(const std::string& folder) {
  const JsonObject config = JsonObject::read(folder + "/config.json");
  family_of(config);
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
