#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axelram/gguf/gguf.hpp"

namespace axelram::tokens {

/// The ids of a text, and the bytes of it that each of them encodes.
struct Encoded {
  std::vector<std::int32_t> ids;
  std::vector<std::uint32_t> bytes;
};

/// Text to the ids of a language model's vocabulary. Ids count from 0. All functions are const and
/// keep no state, so that threads may share a tokenizer.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// The ids of `text`, without BOS. Throws files::InputError if the vocabulary requires UTF-8 and
  /// the text is not UTF-8 (byte offset named), or if a piece of the text has no id.
  virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;

  /// The same ids with their bytes: the sizes of their pieces, unless an id has two meanings.
  virtual Encoded encode_with_bytes(std::string_view text) const {
    Encoded result{encode(text), {}};
    for (const std::int32_t id : result.ids)
      result.bytes.push_back(static_cast<std::uint32_t>(piece(id).size()));
    return result;
  }

  /// The bytes of the text that an id encodes; empty for ids that no text has (BOS of
  /// read_llama2c, gaps in a vocabulary). An added token may have the id of a piece of the
  /// vocabulary, such as "\u0120", which is a space there: the piece is then that of the
  /// vocabulary. Apart from such tokens, the pieces of encode(text), joined, are the text as the
  /// vocabulary encodes it: with read_llama2c a space and the text; with read_tokenizer_json and
  /// read_gguf the text in Unicode's normal form C where the file asks for it, and what else the
  /// file asks to add (add_prefix_space, prepend_scheme, Prepend) or to leave out (white space
  /// beside an added token with lstrip or rstrip, a split that is Removed). A sign that stands for
  /// spaces, U+2581 of SentencePiece, is a space. Throws std::out_of_range.
  virtual std::string piece(std::int32_t id) const = 0;

  /// One more than the largest id.
  virtual std::size_t vocabulary() const = 0;

  /// Bytes of a text that decide its first `ids`, if there is such a bound: no more are read then.
  virtual std::optional<std::size_t> bytes_for(std::size_t) const { return {}; }

  /// The id that begins a text, if the file defines one: read_llama2c 1; read_gguf bos_token_id;
  /// read_tokenizer_json what its template puts first, otherwise the added token <|begin_of_text|>,
  /// <bos> or <s>.
  virtual std::optional<std::int32_t> bos() const = 0;
};

/// Every byte is its own id, vocabulary 256, no BOS; any bytes are legal.
std::unique_ptr<Tokenizer> byte_level();

/// llama2.c `tokenizer.bin` (little-endian): u32 bytes of the longest piece, then for each of
/// `vocabulary` ids an F32 score, an i32 length and the bytes. Ids 0..2 are control, 3..258 the
/// bytes as '<0x00>'..'<0xFF>'. Sentencepiece BPE, exactly as llama2.c does it: a space is put
/// before a text that is not empty; characters without an id fall back to bytes; the neighbours
/// with the best score (the first of equals) are merged until none have an id. Any bytes are legal.
/// Throws files::InputError (file, what, where).
std::unique_ptr<Tokenizer> read_llama2c(const std::string& path, std::size_t vocabulary);

/// The same of bytes; `path` names them in messages.
std::unique_ptr<Tokenizer> llama2c_of(std::string_view bytes, const std::string& path,
                                      std::size_t vocabulary);

/// Hugging Face `tokenizer.json` with one of two kinds of BPE. Byte-level (GPT-2, Llama 3, Qwen):
/// pre_tokenizer ByteLevel or a Sequence of Split and Digits that ends with it. SentencePiece's,
/// as transformers converts it (Llama 2, Gemma): byte_fallback with all 256 bytes, pre_tokenizer
/// none, or Metaspace, and then Split and Digits. normalizer: none, NFC, Prepend, Replace of
/// spaces, or a Sequence.
/// The text must be UTF-8. Special tokens are recognised in the text. post_processor, padding and
/// truncation do not change the ids. Throws files::InputError for a file that is invalid or uses an
/// unsupported feature, which names the path in the file.
std::unique_ptr<Tokenizer> read_tokenizer_json(const std::string& path);

/// The same of a text; `path` names it in messages.
std::unique_ptr<Tokenizer> tokenizer_json_of(std::string_view text, const std::string& path);

/// The tokenizer of a GGUF file (keys `tokenizer.ggml.*`): that of tokenizer_json(). Throws
/// files::InputError, which names file and key.
std::unique_ptr<Tokenizer> read_gguf(const gguf::Gguf& file);

/// The tokenizer of a GGUF file as a Hugging Face `tokenizer.json`, whose ids are those of Hugging
/// Face's tokenizer of the original model. Supported are `model` gpt2 (byte-level BPE) with `pre`
/// gpt-2, smollm, llama-bpe or qwen2, and `model` llama (BPE of SentencePiece, whose merges follow
/// from its scores). Control tokens and user-defined ones are added tokens: both are recognised in
/// a text. Unused pieces get no name. Throws files::InputError, which names file and key, for what
/// is invalid or not supported, keys of unknown meaning included.
std::string tokenizer_json(const gguf::Gguf& file);

/// The `tokenizer_config.json` beside it, with which transformers reads tokenizer.json as it is:
/// the special tokens by their roles, and the chat template. Throws files::InputError as
/// tokenizer_json().
std::string tokenizer_config_json(const gguf::Gguf& file);

}  // namespace axelram::tokens
