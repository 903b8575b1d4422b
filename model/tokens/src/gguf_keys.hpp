#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "axelram/gguf/gguf.hpp"

namespace axelram::tokens {

/// The name of a key of the tokenizer: tokenizer.ggml.NAME.
std::string ggml_key(const std::string& name);

/// Rejects keys of the tokenizer that are not known, by name, and ids that are no piece.
void check_keys(const gguf::Gguf& file, std::size_t pieces);

/// Throw files::InputError for a value of another type.
bool flag_or(const gguf::Gguf& file, const std::string& name, bool otherwise);
/// An id, such as "bos_token_id"; nothing if the file has none. check_keys() has checked those of
/// bos, eos and unknown; others may be no piece.
std::optional<std::int32_t> id_of(const gguf::Gguf& file, const std::string& name);

}  // namespace axelram::tokens
