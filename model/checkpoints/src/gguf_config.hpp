#pragma once

#include "axelram/gguf/gguf.hpp"
#include "json_object.hpp"

namespace axelram::checkpoints {

/// The config.json of the Hugging Face directory from which a GGUF file was made, by its metadata.
/// Messages about it name the keys of the GGUF file. Architectures llama, qwen2, qwen3, gemma3 and
/// gpt2. Throws files::InputError for a key of the architecture that is not known, since it could
/// change what the model computes.
JsonObject config_of(const gguf::Gguf& file);

}  // namespace axelram::checkpoints
