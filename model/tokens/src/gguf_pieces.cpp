#include "gguf_pieces.hpp"

#include <algorithm>
#include <array>

#include "axelram/files/messages.hpp"
#include "byte_alphabet.hpp"
#include "field.hpp"
#include "gguf_keys.hpp"
#include "replaced.hpp"

namespace axelram::tokens {
namespace {

/// Longer pieces would take quadratic time; SentencePiece's own have at most 16 characters unless
/// asked for more.
constexpr std::size_t kLongestPiece = 1024;

std::string number(std::size_t i) { return "number " + std::to_string(i); }

void check_size(const gguf::Gguf& file, const std::string& key, std::size_t size,
                std::size_t pieces) {
  if (size != pieces)
    file.fail(key, ggml_key("tokens") + " has " + std::to_string(pieces) +
                       " pieces, and each needs one element");
}

PieceType type_at(const gguf::Gguf& file, const std::vector<std::int64_t>& types, std::size_t i) {
  if (types[i] < 1 || types[i] > 6)
    file.fail(ggml_key("token_type"),
              number(i) + " is " + std::to_string(types[i]) +
                  "; types are 1 (normal), 2 (unknown), 3 (control), 4 (user defined), 5 (unused) "
                  "and 6 (byte)");
  return static_cast<PieceType>(types[i]);
}

/// The byte of "<0x41>".
std::uint8_t byte_at(const gguf::Gguf& file, const GgufPieces& pieces, std::size_t i) {
  for (unsigned byte = 0; byte < 256; ++byte)
    if (pieces.texts[i] == byte_piece(static_cast<std::uint8_t>(byte)))
      return static_cast<std::uint8_t>(byte);
  file.fail(ggml_key("tokens"), number(i) + " is a byte by its type, but " +
                                    files::in_quotes(pieces.texts[i]) +
                                    "; bytes are <0x00> to <0xFF>");
}

/// Gives the bytes that pieces contain and that are no piece the text of their character.
void name_bytes(const gguf::Gguf& file, GgufPieces& pieces) {
  std::array<bool, 128> alone{}, within{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces.types[i] == PieceType::unused || pieces.types[i] == PieceType::byte) continue;
    const std::string& text = pieces.texts[i];
    for (const char c : text)
      if (const auto byte = static_cast<unsigned char>(c); byte < 128) {
        if (text.size() == 1) alone[byte] = true;
        if (pieces.types[i] == PieceType::normal) within[byte] = true;
      }
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces.types[i] == PieceType::byte)
      if (const std::uint8_t byte = byte_at(file, pieces, i);
          byte < 128 && byte != ' ' && within[byte] && !alone[byte])
        pieces.texts[i] = std::string(1, static_cast<char>(byte));
}

/// A merge in the order of generate_merges.
struct ScoredMerge {
  float score;
  std::size_t left;  ///< characters
  std::size_t right;
  std::int32_t piece;
  std::size_t split;  ///< byte of the piece at which the right part begins

  bool operator<(const ScoredMerge& other) const {
    if (score != other.score) return score > other.score;
    if (left != other.left) return left > other.left;
    if (right != other.right) return right > other.right;
    return piece < other.piece;
  }
};

/// Splits a piece. `is_part` is false for what BPE cannot have made before.
template <class IsPart>
void split_piece(const GgufPieces& pieces, std::int32_t piece, const IsPart& is_part,
                 std::vector<ScoredMerge>& merges) {
  const auto index = static_cast<std::size_t>(piece);
  const std::string_view text = pieces.texts[index];
  const std::size_t characters = GgufPieces::characters(text);
  std::size_t left = 1;
  for (std::size_t at = files::utf8_length(text, 0); at < text.size();
       at += files::utf8_length(text, at), ++left)
    // The longer part is the one that seldom is a piece.
    if (at * 2 > text.size() ? is_part(text.substr(0, at)) && is_part(text.substr(at))
                             : is_part(text.substr(at)) && is_part(text.substr(0, at)))
      merges.push_back({pieces.scores[index], left, characters - left, piece, at});
}

}  // namespace

std::size_t GgufPieces::characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

GgufPieces read_pieces(const gguf::Gguf& file) {
  const std::string key = ggml_key("tokens"), types_key = ggml_key("token_type");
  const std::vector<std::string_view> texts = file.texts(key);
  if (texts.empty() || texts.size() > kMaxIds) file.fail(key, "it must have 1..2^24 pieces");
  const std::vector<std::int64_t> types = file.integers(types_key);
  check_size(file, types_key, types.size(), texts.size());
  GgufPieces pieces;
  if (const std::string scores = ggml_key("scores"); file.has(scores)) {
    pieces.scores = file.reals(scores);
    check_size(file, scores, pieces.scores.size(), texts.size());
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    pieces.types.push_back(type_at(file, types, i));
    const std::size_t wrong = files::first_invalid_utf8(texts[i]);
    if (texts[i].empty() || wrong != texts[i].size())
      file.fail(key, number(i) + (texts[i].empty() ? " is empty" : " is no UTF-8") +
                         "; a piece is UTF-8 and not empty");
    // Converters write user-defined spaces as U+2581 or as spaces; texts have spaces.
    pieces.texts.push_back(pieces.types.back() == PieceType::user_defined
                               ? replaced(texts[i], kSpaceMark, " ")
                               : std::string(texts[i]));
  }
  name_bytes(file, pieces);
  pieces.ids.max_load_factor(0.5F);
  pieces.ids.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (pieces.types[i] == PieceType::unused) continue;
    const auto [place, fresh] = pieces.ids.emplace(pieces.texts[i], static_cast<std::int32_t>(i));
    if (!fresh)
      file.fail(key, "numbers " + std::to_string(place->second) + " and " + std::to_string(i) +
                         " are both " + files::in_quotes(pieces.texts[i]) +
                         "; each piece must be there once");
  }
  return pieces;
}

std::vector<std::string> read_merges(const gguf::Gguf& file, const GgufPieces& pieces) {
  const std::string key = ggml_key("merges");
  std::vector<std::string> result;
  for (const std::string_view merge : file.texts(key)) {
    const auto wrong = [&](const std::string& what) {
      file.fail(key, number(result.size()) + " is " + files::in_quotes(merge) + "; " + what);
    };
    const std::size_t space = merge.find(' ');
    if (space == std::string_view::npos || merge.find(' ', space + 1) != std::string_view::npos)
      wrong("two pieces with one space between them were expected");
    const std::string left(merge.substr(0, space)), right(merge.substr(space + 1));
    for (const std::string& part : {left, right, left + right})
      if (pieces.ids.count(part) == 0)
        wrong(files::in_quotes(part) + " is not in " + ggml_key("tokens") +
              ", and a merge is of pieces with an id");
    result.emplace_back(merge);
  }
  return result;
}

std::vector<std::string> derived_merges(const gguf::Gguf& file, const GgufPieces& pieces) {
  const std::string tokens = ggml_key("tokens"), scores = ggml_key("scores");
  if (pieces.scores.empty())
    file.fail(scores, "SentencePiece needs them, or " + ggml_key("merges"));
  const auto is_part = [&](std::string_view text) {
    const auto place = pieces.ids.find(text);
    if (place == pieces.ids.end()) return false;
    const PieceType type = pieces.types[static_cast<std::size_t>(place->second)];
    // A byte piece has the text of its character here if normal pieces contain it.
    return type == PieceType::normal || (type == PieceType::byte && text.size() == 1);
  };
  std::vector<ScoredMerge> merges;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const PieceType type = pieces.types[i];
    if (type != PieceType::normal && type != PieceType::unused) continue;
    if (pieces.texts[i].size() > kLongestPiece)
      file.fail(tokens, number(i) + " has " + std::to_string(pieces.texts[i].size()) +
                            " bytes; supported are pieces of at most " +
                            std::to_string(kLongestPiece));
    const std::size_t before = merges.size();
    split_piece(pieces, static_cast<std::int32_t>(i), is_part, merges);
    // SentencePiece would merge into it and split it again, which BPE cannot.
    if (type == PieceType::unused && merges.size() != before)
      file.fail(tokens, number(i) + ", " + files::in_quotes(pieces.texts[i]) +
                            ", is unused, yet pieces merge into it; this is not supported");
  }
  std::sort(merges.begin(), merges.end());
  if (merges.size() > 1 && merges.front().piece != merges.back().piece &&
      merges.front().score == merges.back().score)
    file.fail(scores,
              "all scores are equal and do not tell the order of merges; convert the model "
              "with its scores, or with " +
                  ggml_key("merges"));
  std::vector<std::string> result;
  result.reserve(merges.size());
  for (const ScoredMerge& merge : merges) {
    const std::string_view text = pieces.texts[static_cast<std::size_t>(merge.piece)];
    if (text.find(' ') != std::string_view::npos) continue;  // no text has a space as U+0020
    std::string both;
    both.reserve(text.size() + 1);
    result.push_back(std::move(
        both.append(text.substr(0, merge.split)).append(" ").append(text.substr(merge.split))));
  }
  return result;
}

}  // namespace axelram::tokens
