// tokenizer.bin and encode() of Andrej Karpathy's llama2.c (run.c, tokenizer.py).
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <unordered_map>

#include "axelram/files/file_bytes.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/tokens/tokenizer.hpp"
#include "merge.hpp"

namespace axelram::tokens {
namespace {

using files::InputError;
using files::printable;

constexpr std::int32_t kBos = 1;
constexpr std::int32_t kFirstByte = 3;  ///< id of byte 0
constexpr std::int32_t kFirstPiece = kFirstByte + 256;
/// llama2.c looks for a score above this one: pieces at or below it never come from a merge.
constexpr float kNoScore = -1e10F;
constexpr std::size_t kLongestCharacter = 4;

struct Piece {
  std::string bytes;
  float score;
};

class Llama2c : public Tokenizer {
 public:
  /// `pieces` differ from each other.
  explicit Llama2c(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      ids_.emplace(pieces_[i].bytes, static_cast<std::int32_t>(i));
      longest_ = std::max(longest_, pieces_[i].bytes.size());
    }
  }

  std::optional<std::int32_t> find(std::string_view bytes) const {
    const auto place = ids_.find(bytes);
    if (place == ids_.end()) return std::nullopt;
    return place->second;
  }

  std::vector<std::int32_t> encode(std::string_view text) const override {
    std::vector<std::int32_t> ids = characters(text);
    std::string joined;
    merge_neighbours<float>(ids, [&](std::int32_t a, std::int32_t b) {
      const std::string& left = pieces_[static_cast<std::size_t>(a)].bytes;
      const std::string& right = pieces_[static_cast<std::size_t>(b)].bytes;
      std::optional<Merge<float>> merge;
      if (left.size() + right.size() > longest_) return merge;
      joined.assign(left).append(right);
      const auto id = find(joined);
      if (!id) return merge;
      const float score = pieces_[static_cast<std::size_t>(*id)].score;
      if (score > kNoScore) merge = {-score, *id};
      return merge;
    });
    return ids;
  }

  std::string piece(std::int32_t id) const override {
    if (id < 0 || static_cast<std::size_t>(id) >= pieces_.size())
      throw std::out_of_range("no id " + std::to_string(id) + " in 0.." +
                              std::to_string(pieces_.size() - 1));
    if (id < kFirstByte) return {};
    if (id < kFirstPiece) return {static_cast<char>(id - kFirstByte)};
    return pieces_[static_cast<std::size_t>(id)].bytes;
  }

  std::size_t vocabulary() const override { return pieces_.size(); }
  std::optional<std::int32_t> bos() const override { return kBos; }

 private:
  /// The ids before any merge. A character is a byte with the continuation bytes behind it, four
  /// bytes at most, whether that is UTF-8 or not.
  std::vector<std::int32_t> characters(std::string_view text) const {
    std::vector<std::int32_t> ids;
    if (text.empty()) return ids;
    ids.reserve(text.size() + 1);
    ids.push_back(ids_.at(" "));
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
      end = begin + 1;
      while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80 &&
             end - begin < kLongestCharacter)
        ++end;
      const std::string_view character = text.substr(begin, end - begin);
      if (const auto id = find(character)) {
        ids.push_back(*id);
        continue;
      }
      for (const char c : character) ids.push_back(kFirstByte + static_cast<unsigned char>(c));
    }
    return ids;
  }

  std::vector<Piece> pieces_;
  std::unordered_map<std::string_view, std::int32_t> ids_;  ///< views into pieces_
  std::size_t longest_ = 0;
};

std::string byte_piece(std::size_t byte) {
  char text[8];
  std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(byte));
  return text;
}

/// Takes little-endian numbers and bytes off a file's front.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& path)
      : origin_(printable(path)), bytes_(bytes) {}

  [[noreturn]] void fail(const std::string& what) const { throw InputError(origin_ + ": " + what); }

  std::size_t left() const { return bytes_.size() - used_; }

  const std::uint8_t* take(std::size_t count, const std::string& what) {
    if (count > left())
      fail(what + ": " + std::to_string(count) + " bytes wanted at byte " + std::to_string(used_) +
           ", " + std::to_string(left()) +
           " left; was the file cut off, or is the vocabulary smaller?");
    used_ += count;
    return reinterpret_cast<const std::uint8_t*>(bytes_.data()) + used_ - count;
  }

  std::uint32_t word(const std::string& what) {
    const std::uint8_t* b = take(4, what);
    return static_cast<std::uint32_t>(b[0] | b[1] << 8 | b[2] << 16) |
           static_cast<std::uint32_t>(b[3]) << 24;
  }

 private:
  std::string origin_;
  std::string_view bytes_;
  std::size_t used_ = 0;
};

Piece read_piece(Reader& reader, std::size_t id, std::size_t longest) {
  const std::string where = "id " + std::to_string(id);
  Piece piece;
  const std::uint32_t score = reader.word(where + " (score)");
  std::memcpy(&piece.score, &score, sizeof score);
  if (!std::isfinite(piece.score)) reader.fail(where + ": its score must be a finite number");
  const std::uint32_t size = reader.word(where + " (length)");
  if (size > longest)
    reader.fail(where + ": a piece of " + std::to_string(static_cast<std::int32_t>(size)) +
                " bytes; the file's first word says that the longest has " +
                std::to_string(longest));
  const std::uint8_t* bytes = reader.take(size, where + " (piece)");
  piece.bytes.assign(bytes, bytes + size);
  const auto number = id - static_cast<std::size_t>(kFirstByte);
  if (id >= static_cast<std::size_t>(kFirstByte) && number < 256 &&
      piece.bytes != byte_piece(number))
    reader.fail(where + ": the piece " + files::in_quotes(piece.bytes) + "; llama2.c has " +
                byte_piece(number) + " there");
  return piece;
}

}  // namespace

std::unique_ptr<Tokenizer> read_llama2c(const std::string& path, std::size_t vocabulary) {
  return llama2c_of(files::FileBytes(path).text(), path, vocabulary);
}

std::unique_ptr<Tokenizer> llama2c_of(std::string_view bytes, const std::string& path,
                                      std::size_t vocabulary) {
  Reader reader(bytes, path);
  if (vocabulary <= static_cast<std::size_t>(kFirstPiece) || vocabulary > std::size_t{1} << 24)
    reader.fail("a vocabulary of " + std::to_string(vocabulary) +
                "; llama2.c's have 260 (control, bytes, space) to 2^24 ids");
  const std::size_t longest = reader.word("longest piece");
  std::vector<Piece> pieces;
  std::unordered_map<std::string, std::size_t> seen;
  for (std::size_t id = 0; id < vocabulary; ++id) {
    pieces.push_back(read_piece(reader, id, longest));
    const auto [place, fresh] = seen.emplace(pieces.back().bytes, id);
    if (!fresh)
      reader.fail("ids " + std::to_string(place->second) + " and " + std::to_string(id) +
                  ": the same piece " + files::in_quotes(place->first) + "; a piece has one id");
  }
  if (reader.left() != 0)
    reader.fail(std::to_string(reader.left()) + " bytes follow the last of " +
                std::to_string(vocabulary) + " ids; is the vocabulary larger?");
  if (seen.count(" ") == 0)
    reader.fail("no id for the space, which llama2.c puts before every text");
  return std::make_unique<Llama2c>(std::move(pieces));
}

}  // namespace axelram::tokens
