#pragma once

#include "axelram/checkpoints/checkpoint.hpp"
#include "json_object.hpp"
#include "tensors.hpp"

namespace axelram::checkpoints {

/// Architecture and weights by the family in config.json, a supported one. Complains of tensors
/// that the model does not have. The path is the caller's.
Checkpoint read_weights(const JsonObject& config, Tensors* tensors);

/// The same for one family; path and files are the caller's. Llama,
/// Mistral, Qwen2 and Qwen3 differ in biases, norms and attention spans alone.
Checkpoint read_llama(const std::string& family, const JsonObject& config, Tensors* tensors);
Checkpoint read_gemma3(const JsonObject& config, Tensors* tensors);
Checkpoint read_gpt2(const JsonObject& config, Tensors* tensors);

/// A llama2.c file.
Checkpoint read_llama2c(const std::string& path);

/// Complains of sizes that do not fit each other.
void check_heads(const JsonObject& config, const Architecture& architecture);

}  // namespace axelram::checkpoints
