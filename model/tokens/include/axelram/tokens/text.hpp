#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axelram/tokens/tokenizer.hpp"

namespace axelram::tokens {

/// The ids of a text: one row, or rows that are independent texts.
struct TokenText {
  std::vector<std::int32_t> ids;  ///< [rows, columns]
  std::size_t rows = 1, columns = 0;
  bool separate = false;             ///< each row is an independent sequence
  std::vector<std::uint32_t> bytes;  ///< bytes of each id; empty if unknown
};

struct TextOptions {
  std::size_t skip = 0;  ///< bytes at the start of the text that are left out
  std::optional<std::size_t>
      tokens;        ///< ids used, from the first on; of separate rows, rows * columns
  bool bos = false;  ///< the tokenizer's BOS comes first
  /// The end of a text may be left out if it has as many ids without.
  std::optional<std::size_t> enough = {};
  std::size_t least = 2;  ///< ids that a text must have, 1 or 2
};

/// The tokenizer of a checkpoint of `vocabulary` ids. `choice`: "byte", a tokenizer.json, a GGUF
/// file, a llama2.c tokenizer file, or "" for the default of the checkpoint at `model`: that of the
/// GGUF file, its tokenizer.json, or bytes if the vocabulary is 256. Throws files::InputError,
/// which names the possible choices.
std::unique_ptr<Tokenizer> choose_tokenizer(const std::string& model, std::size_t vocabulary,
                                            const std::string& choice);

/// Whether a file is one of ids: its name ends in .safetensors, or it begins like such a file. Of a
/// pipe only its name tells.
bool holds_ids(const std::string& path);

/// A text through the tokenizer, or the `tokens` I32 [n] or [rows, n] of a file that holds_ids() or
/// of a pipe that begins like one; read once. Throws files::InputError: a text of fewer than
/// `least` ids, an id that the vocabulary lacks (position named), fewer ids than requested, bos or
/// skip for ids.
TokenText read_text(const std::string& path, const Tokenizer& tokenizer,
                    const TextOptions& options);

}  // namespace axelram::tokens
