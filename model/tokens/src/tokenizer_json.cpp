#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_map>

#include "added_tokens.hpp"
#include "axelram/files/errors.hpp"
#include "axelram/files/json.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/tokens/tokenizer.hpp"
#include "bpe.hpp"
#include "byte_alphabet.hpp"
#include "field.hpp"
#include "gguf_document.hpp"
#include "gguf_keys.hpp"
#include "normalizer.hpp"
#include "pre_tokenizer.hpp"

namespace axelram::tokens {
namespace {

using files::in_quotes;
using files::InputError;

void check_utf8(std::string_view text) {
  const std::size_t byte = files::first_invalid_utf8(text);
  if (byte != text.size())
    throw InputError("text: no UTF-8 at byte " + std::to_string(byte) +
                     "; this vocabulary takes UTF-8 only, convert the text");
}

/// The token that the template of a post_processor puts before the text.
std::optional<std::int32_t> bos_of(const Field& field) {
  if (!field.given()) return std::nullopt;
  const std::string type = field["type"].text();
  if (type == "Sequence") {
    const Field parts = field["processors"];
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (const auto id = bos_of(parts[i])) return id;
  }
  if (type != "TemplateProcessing") return std::nullopt;
  const Field single = field["single"];
  if (single.size() == 0) return std::nullopt;
  const Field token = single[0]["SpecialToken"];
  if (!token.given()) return std::nullopt;
  const Field ids = field["special_tokens"][token["id"].text()]["ids"];
  if (ids.size() == 0) ids.fail("empty; the ids of the template's first token were expected");
  return ids[0].id();
}

class TokenizerJson : public Tokenizer {
  /// Text of each id that is taken.
  using Names = std::unordered_map<std::int32_t, std::optional<std::string>>;

 public:
  explicit TokenizerJson(const Field& top)
      : normalizer_(top["normalizer"]),
        bpe_(top["model"]),
        pre_tokenizer_(top["pre_tokenizer"], !bpe_.byte_fallback()) {
    Names names;
    const Field tokens = top["added_tokens"];
    for (std::size_t i = 0; tokens.given() && i < tokens.size(); ++i)
      names.emplace(tokens[i]["id"].id(), std::nullopt);
    for (const auto& [text, id] : bpe_.vocabulary()) {
      if (const auto place = names.find(id); place != names.end()) place->second = text;
      set_piece(id, bpe_.byte_fallback() ? normalizer_.with_spaces(pre_tokenizer_.with_spaces(text))
                                         : bytes_of(text).value_or(text));
    }
    if (bpe_.byte_fallback()) set_bytes();
    std::unordered_map<std::string, std::int32_t> added;
    for (std::size_t i = 0; tokens.given() && i < tokens.size(); ++i) add(tokens[i], names, added);
    set_bos(top["post_processor"], added);
  }

  std::vector<std::int32_t> encode(std::string_view text) const override {
    return encode_with_bytes(text).ids;
  }

  Encoded encode_with_bytes(std::string_view text) const override {
    check_utf8(text);
    Encoded result;
    Bpe::Cache cache;
    bool first = true;  // nothing of the text has been passed
    const auto found = [&](std::int32_t id) {
      first = false;
      result.ids.push_back(id);
      result.bytes.push_back(added_bytes_.at(id));
    };
    const auto plain = [&](std::string_view part) {
      pre_tokenizer_.cut(part, first,
                         [&](std::string_view piece) { bpe_.encode(piece, cache, result.ids); });
      first = false;
      for (std::size_t i = result.bytes.size(); i < result.ids.size(); ++i)
        result.bytes.push_back(static_cast<std::uint32_t>(piece_of(result.ids[i]).size()));
    };
    exact_.split(
        text,
        [&](std::string_view part) {
          if (normalizer_.changes())
            normalized_.split(normalizer_(part), plain, found);
          else
            normalized_.split(part, plain, found);
        },
        found);
    return result;
  }

  std::string piece(std::int32_t id) const override {
    if (id < 0 || static_cast<std::size_t>(id) >= pieces_.size())
      throw std::out_of_range("no id " + std::to_string(id) + " in 0.." +
                              std::to_string(pieces_.size() - 1));
    return piece_of(id);
  }

  std::size_t vocabulary() const override { return pieces_.size(); }
  std::optional<std::int32_t> bos() const override { return bos_; }
  void begin_with(std::optional<std::int32_t> bos) { bos_ = bos; }

 private:
  const std::string& piece_of(std::int32_t id) const {
    return pieces_[static_cast<std::size_t>(id)];
  }

  void set_piece(std::int32_t id, std::string bytes) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= pieces_.size()) pieces_.resize(index + 1);
    pieces_[index] = std::move(bytes);
  }

  /// The pieces <0x00> to <0xFF> are bytes.
  void set_bytes() {
    for (unsigned i = 0; i < 256; ++i) {
      const auto byte = static_cast<std::uint8_t>(i);
      const auto place = bpe_.vocabulary().find(byte_piece(byte));
      if (place != bpe_.vocabulary().end())
        set_piece(place->second, std::string(1, static_cast<char>(byte)));
    }
  }

  /// Adds one of added_tokens: in the vocabulary under the same id, or new with an unused id.
  void add(const Field& field, Names& names, std::unordered_map<std::string, std::int32_t>& added) {
    AddedToken token;
    token.content = field["content"].text();
    token.id = field["id"].id();
    token.single_word = field["single_word"].flag(false);
    token.lstrip = field["lstrip"].flag(false);
    token.rstrip = field["rstrip"].flag(false);
    const bool special = field["special"].flag(false);
    token.normalized = field["normalized"].flag(!special);
    if (token.content.empty()) field["content"].reject("a text that is not empty was expected");
    const auto known = bpe_.vocabulary().find(token.content);
    if (known != bpe_.vocabulary().end() && known->second != token.id)
      field["id"].reject("model.vocab gives " + in_quotes(token.content) + " the id " +
                         std::to_string(known->second));
    std::optional<std::string>& name = names[token.id];
    if (name && *name != token.content)
      field["id"].reject("this is the id of " + in_quotes(*name) + "; an id stands for one piece");
    name = token.content;
    if (!added.emplace(token.content, token.id).second)
      field["content"].reject("added before; give it once");
    if (token.normalized && normalizer_.changes()) token.content = normalizer_(token.content);
    added_bytes_[token.id] = static_cast<std::uint32_t>(token.content.size());
    if (known == bpe_.vocabulary().end() || (!bpe_.byte_fallback() && !bytes_of(known->first)))
      set_piece(token.id, token.content);
    (token.normalized ? normalized_ : exact_).add(std::move(token));
  }

  void set_bos(const Field& processor, const std::unordered_map<std::string, std::int32_t>& added) {
    bos_ = bos_of(processor);
    if (bos_ && static_cast<std::size_t>(*bos_) >= pieces_.size())
      processor.fail("begins texts with the id " + std::to_string(*bos_) +
                     ", which the vocabulary does not have");
    for (const char* name : {"<|begin_of_text|>", "<bos>", "<s>"}) {
      const auto place = added.find(name);
      if (!bos_ && place != added.end()) bos_ = place->second;
    }
  }

  Normalizer normalizer_;
  Bpe bpe_;
  PreTokenizer pre_tokenizer_;
  AddedTokens exact_;       ///< looked for in the text as it comes
  AddedTokens normalized_;  ///< looked for after the normalizer
  std::vector<std::string> pieces_;
  std::unordered_map<std::int32_t, std::uint32_t> added_bytes_;  ///< of the text of added tokens
  std::optional<std::int32_t> bos_;
};

}  // namespace

std::unique_ptr<Tokenizer> read_tokenizer_json(const std::string& path) {
  const nlohmann::json json = files::read_json(path);
  return std::make_unique<TokenizerJson>(Field(json, path));
}

std::unique_ptr<Tokenizer> tokenizer_json_of(std::string_view text, const std::string& path) {
  const nlohmann::json json = files::json_of(text, path);
  return std::make_unique<TokenizerJson>(Field(json, path));
}

std::unique_ptr<Tokenizer> read_gguf(const gguf::Gguf& file) {
  const nlohmann::json json = gguf_document(file);
  auto result = std::make_unique<TokenizerJson>(Field(json, file.origin()));
  result->begin_with(id_of(file, "bos_token_id"));
  return result;
}

}  // namespace axelram::tokens
