#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "axelram/gguf/gguf.hpp"

namespace axelram::tokens {

/// The number in `tokenizer.ggml.token_type`.
enum class PieceType { normal = 1, unknown, control, user_defined, unused, byte };

/// The pieces of a GGUF file's tokenizer; ids are positions. Checked: texts are UTF-8, not empty
/// and unique, apart from those of unused pieces, which no text has.
struct GgufPieces {
  GgufPieces() = default;
  GgufPieces(GgufPieces&&) = default;  // a copy's `ids` would point into the original

  /// User-defined ones as they are in the text, with spaces. A byte is <0x41>, or the ASCII
  /// character itself if normal pieces contain it and no piece is it, so that BPE can merge it.
  std::vector<std::string> texts;
  std::vector<PieceType> types;
  std::vector<float> scores;                               ///< empty if the file has none
  std::unordered_map<std::string_view, std::int32_t> ids;  ///< without unused pieces

  std::size_t size() const { return texts.size(); }
  /// Characters (code points) of a text.
  static std::size_t characters(std::string_view text);
};

/// Reads tokens, token_type and scores. Throws files::InputError, which names file and key.
GgufPieces read_pieces(const gguf::Gguf& file);

/// The merges "LEFT RIGHT" of the file, in their order. Throws files::InputError for a merge of or
/// into something that is no piece.
std::vector<std::string> read_merges(const gguf::Gguf& file, const GgufPieces& pieces);

/// The merges that SentencePiece's scores imply, as transformers' converter derives them
/// (generate_merges): every split of a normal piece into two pieces, by descending score of the
/// piece, then descending length of the left part. SentencePiece itself takes, of neighbours that
/// merge into pieces of equal score, the leftmost.
/// Throws files::InputError for scores that say nothing.
std::vector<std::string> derived_merges(const gguf::Gguf& file, const GgufPieces& pieces);

}  // namespace axelram::tokens
