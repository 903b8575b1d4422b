#pragma once

#include <span>
#include <string>
#include <string_view>

#include "axelram/gguf/gguf.hpp"
#include "keys/meaning.hpp"

namespace axelram::checkpoints {

/// Types of values. `sizes`: a whole number, or a list with the same one for each layer.
enum class GgufType { size, sizes, real, flag, text, flags };

/// A key of a GGUF file that begins with the name of an architecture, as llama.cpp reads it.
struct GgufKey {
  std::string_view of;   ///< architectures, with spaces between
  std::string_view key;  ///< without the architecture
  GgufType type;
  std::string_view to;  ///< key of config.json; empty: none, or one in rope_scaling
  Meaning absent;       ///< other keys are named as here; token_embd.weight: its rows
  Held held;
};

std::span<const GgufKey> gguf_keys();

/// The value as JSON. layers: how many entries a list has. Throws files::InputError for another
/// type, and for a list of another length.
nlohmann::json gguf_value(const gguf::Gguf& file, const std::string& key, GgufType type,
                          const nlohmann::json& layers);

/// All rows as a Markdown table.
std::string gguf_keys_markdown();

}  // namespace axelram::checkpoints
