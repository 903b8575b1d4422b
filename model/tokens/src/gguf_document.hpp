#pragma once

#include <nlohmann/json.hpp>

#include "axelram/gguf/gguf.hpp"

namespace axelram::tokens {

/// The tokenizer.json that has the tokenizer of a GGUF file. Throws files::InputError, which names
/// file and key.
nlohmann::json gguf_document(const gguf::Gguf& file);

}  // namespace axelram::tokens
