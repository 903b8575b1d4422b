#pragma once

#include <string>

#include "axelram/checkpoints/checkpoint.hpp"
#include "json_object.hpp"
#include "tensors.hpp"

namespace axelram::checkpoints {

/// A kind of model that config.json names.
struct Family {
  const char* model_type;
  const char* keys;        ///< `of` of its rows in config_keys()
  const char* class_name;  ///< of transformers, with the language-model head
  /// Architecture and weights of a completed() configuration; path and files are the caller's.
  Checkpoint (*read)(const JsonObject& config, Tensors* tensors);
};

/// The family of config.json. Complains of another model_type.
const Family& family_of(const JsonObject& config);

/// Architecture and weights by the family of config.json. Complains of tensors that the model does
/// not have. The path is the caller's.
Checkpoint read_weights(const JsonObject& config, Tensors* tensors);

/// Llama, Mistral, Qwen2 and Qwen3: they differ in biases, norms and attention spans alone.
Checkpoint read_llama(const JsonObject& config, Tensors* tensors);
Checkpoint read_gemma3(const JsonObject& config, Tensors* tensors);
Checkpoint read_gpt2(const JsonObject& config, Tensors* tensors);

/// A llama2.c file.
Checkpoint read_llama2c(const std::string& path);

/// Complains of sizes that do not fit each other.
void check_heads(const JsonObject& config, const Architecture& architecture);

}  // namespace axelram::checkpoints
