#include "bpe.hpp"

#include <algorithm>
#include <cstdio>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "byte_alphabet.hpp"

namespace axelram::tokens {
namespace {

using files::in_quotes;

/// Longer pieces are seldom met twice, and would fill the cache.
constexpr std::size_t kLongestCached = 64;

std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
}

void reject_text(const Field& field) {
  if (field.given() && !field.text().empty()) field.reject("only null and \"\" are supported");
}

}  // namespace

Bpe::Bpe(const Field& model) {
  const Field type = model["type"];
  if (type.given() && type.text() != "BPE") type.reject("only BPE is supported");
  byte_fallback_ = model["byte_fallback"].flag(false);
  const Field dropout = model["dropout"];
  if (dropout.given() && model.object().at("dropout") != 0)
    dropout.reject("only null is supported: ids must not be left to chance");
  reject_text(model["continuing_subword_prefix"]);
  reject_text(model["end_of_word_suffix"]);

  read_vocabulary(model["vocab"]);
  find_bytes(model);
  read_merges(model["merges"]);
  if (!model["ignore_merges"].flag(false)) return;
  for (const auto& [text, id] : vocabulary_)
    if (const auto bytes = byte_fallback_ ? text : bytes_of(text)) whole_.emplace(*bytes, id);
}

/// With byte_fallback all bytes must have an id: an unknown token never stands for text then.
void Bpe::find_bytes(const Field& model) {
  for (unsigned i = 0; i < byte_ids_.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(i);
    auto place = vocabulary_.find(byte_fallback_ ? byte_piece(byte) : byte_character(byte));
    // A converter may name the byte of an ASCII character by the character.
    if (byte_fallback_ && place == vocabulary_.end() && byte < 0x80)
      place = vocabulary_.find(std::string(1, static_cast<char>(byte)));
    byte_ids_[i] = place == vocabulary_.end() ? -1 : place->second;
  }
  const auto lacking = std::find(byte_ids_.begin(), byte_ids_.end(), -1);
  if (lacking == byte_ids_.end()) return;
  const auto byte = static_cast<std::uint8_t>(lacking - byte_ids_.begin());
  if (byte_fallback_)
    model["byte_fallback"].reject("model.vocab must have all bytes then, and it lacks " +
                                  byte_piece(byte));
  if (model["unk_token"].given())
    model["unk_token"].reject("only null is supported where bytes have no id, such as " +
                              byte_character(byte));
}

void Bpe::read_vocabulary(const Field& vocab) {
  const nlohmann::json& members = vocab.object();
  std::vector<bool> taken;
  vocabulary_.reserve(members.size());
  for (const auto& item : members.items()) {
    // Field writes the path of each value, which takes longer than all else here.
    const bool right = item.value().is_number_unsigned() && item.value() < kMaxIds;
    const std::int32_t id = right ? item.value().get<std::int32_t>() : vocab[item.key()].id();
    const auto index = static_cast<std::size_t>(id);
    if (index >= taken.size()) taken.resize(index + 1);
    if (taken[index]) {
      const auto other = std::find_if(vocabulary_.begin(), vocabulary_.end(),
                                      [&](const auto& known) { return known.second == id; });
      vocab.fail(in_quotes(other->first) + " and " + in_quotes(item.key()) + " have the same id " +
                 std::to_string(id) + "; an id stands for one piece");
    }
    taken[index] = true;
    vocabulary_.emplace(item.key(), id);
  }
}

std::int32_t Bpe::id_of_piece(std::string_view piece, const Field& merges, std::size_t rank) const {
  const auto place = vocabulary_.find(piece);
  if (place == vocabulary_.end())
    merges[rank].fail(in_quotes(piece) + " is not in model.vocab; a merge is of pieces with an id");
  return place->second;
}

void Bpe::read_merges(const Field& merges) {
  const std::size_t count = merges.size();
  const nlohmann::json& list = merges.list();
  merges_.reserve(count);
  std::string both;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const nlohmann::json& merge = list[rank];
    std::string_view left, right;
    if (merge.is_string()) {
      const std::string_view text = merge.get_ref<const std::string&>();
      const std::size_t space = text.find(' ');
      if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos)
        merges[rank].reject("two pieces with one space between them were expected");
      left = text.substr(0, space);
      right = text.substr(space + 1);
    } else {
      const Field pair = merges[rank];
      if (pair.size() != 2) pair.reject("two pieces were expected");
      left = pair[0].view();
      right = pair[1].view();
    }
    both.assign(left).append(right);
    const std::int32_t a = id_of_piece(left, merges, rank), b = id_of_piece(right, merges, rank);
    merges_[pair_key(a, b)] = {static_cast<std::uint32_t>(rank), id_of_piece(both, merges, rank)};
  }
}

std::optional<Merge<std::uint32_t>> Bpe::find(std::int32_t left, std::int32_t right) const {
  const auto place = merges_.find(pair_key(left, right));
  if (place == merges_.end()) return std::nullopt;
  return place->second;
}

std::int32_t Bpe::id_of_byte(char c, std::string_view piece) const {
  const auto byte = static_cast<std::uint8_t>(c);
  if (byte_ids_[byte] >= 0) return byte_ids_[byte];
  char hex[8];
  std::snprintf(hex, sizeof hex, "0x%02X", static_cast<unsigned>(byte));
  throw files::InputError("text: the vocabulary has no id for the byte " + std::string(hex) +
                          " of " + in_quotes(piece) + "; leave it out or take another model");
}

/// The ids that merges begin with: of bytes, or of characters where they have one.
std::vector<std::int32_t> Bpe::smallest(std::string_view piece) const {
  std::vector<std::int32_t> ids;
  ids.reserve(piece.size());
  for (std::size_t i = 0; i < piece.size();) {
    const std::size_t length =
        byte_fallback_ ? std::max<std::size_t>(1, files::utf8_length(piece, i)) : 1;
    const std::string_view character = piece.substr(i, length);
    i += length;
    if (byte_fallback_)
      if (const auto place = vocabulary_.find(character); place != vocabulary_.end()) {
        ids.push_back(place->second);
        continue;
      }
    for (const char c : character) ids.push_back(id_of_byte(c, piece));
  }
  return ids;
}

void Bpe::encode(std::string_view piece, Cache& cache, std::vector<std::int32_t>& ids) const {
  const std::string key(piece);
  if (!whole_.empty()) {
    const auto place = whole_.find(key);
    if (place != whole_.end()) {
      ids.push_back(place->second);
      return;
    }
  }
  const auto known = cache.find(key);
  if (known != cache.end()) {
    ids.insert(ids.end(), known->second.begin(), known->second.end());
    return;
  }
  std::vector<std::int32_t> merged = smallest(piece);
  merge_neighbours<std::uint32_t>(
      merged, [this](std::int32_t left, std::int32_t right) { return find(left, right); });
  ids.insert(ids.end(), merged.begin(), merged.end());
  if (piece.size() <= kLongestCached) cache.emplace(key, std::move(merged));
}

}  // namespace axelram::tokens
