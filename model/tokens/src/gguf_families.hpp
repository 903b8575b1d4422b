#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace axelram::tokens {

/// Preparation of a text for byte-level BPE, as Hugging Face's tokenizers of a family of models do
/// it. `tokenizer.ggml.pre` names the family.
struct GgufFamily {
  const char* pre;
  const char* aliases;  ///< other names that llama.cpp reads in the same way, with spaces between
  bool nfc;             ///< normal form C
  bool digits;          ///< each digit is a piece
  const char* split;    ///< regular expression of the pieces; null for GPT-2's own
  bool ignore_merges;   ///< a piece that is in the vocabulary is taken whole
  bool add_bos;         ///< default of add_bos_token

  nlohmann::json normalizer() const;
  nlohmann::json pre_tokenizer() const;
};

/// Null for a name that is not supported.
const GgufFamily* find_family(std::string_view pre);

/// "gpt-2, smollm, ..."
std::string family_names();

}  // namespace axelram::tokens
