#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace axelram::tokens {

/// Text to the ids of a language model's vocabulary. Ids count from 0.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// The ids of `text`, without BOS. Throws files::InputError where the vocabulary wants UTF-8 and
  /// the text is not (byte offset named), or has no id for a piece of it.
  virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;

  /// The bytes an id stands for; empty for control tokens such as BOS. Throws std::out_of_range.
  virtual std::string piece(std::int32_t id) const = 0;

  virtual std::size_t vocabulary() const = 0;
  virtual std::optional<std::int32_t> bos() const = 0;
};

/// Every byte is its own id, vocabulary 256, no BOS; any bytes are legal.
std::unique_ptr<Tokenizer> byte_level();

/// llama2.c `tokenizer.bin`: u32 longest piece, then for each of `vocabulary` ids an F32 score, an
/// i32 length and the bytes. Sentencepiece BPE: pairs are merged by the best score, characters
/// without an id fall back to bytes. Throws files::InputError (file, what, where).
std::unique_ptr<Tokenizer> read_llama2c(const std::string& path, std::size_t vocabulary);

/// Hugging Face `tokenizer.json` with a byte-level BPE model (GPT-2, Llama 3, Qwen). Throws
/// files::InputError for a file that is broken or asks for what is not supported, naming it.
std::unique_ptr<Tokenizer> read_tokenizer_json(const std::string& path);

}  // namespace axelram::tokens
