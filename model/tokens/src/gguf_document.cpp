#include "gguf_document.hpp"

#include <utility>

#include "axelram/files/messages.hpp"
#include "axelram/tokens/tokenizer.hpp"
#include "byte_alphabet.hpp"
#include "gguf_families.hpp"
#include "gguf_keys.hpp"
#include "gguf_pieces.hpp"
#include "replaced.hpp"

namespace axelram::tokens {
namespace {

using nlohmann::json;

constexpr char kBpe[] = "gpt2", kSentencePiece[] = "llama";

json vocabulary_of(const GgufPieces& pieces) {
  json vocabulary = json::object();
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces.types[i] != PieceType::unused) vocabulary[pieces.texts[i]] = i;
  return vocabulary;
}

/// Tokens that are looked for in a text before anything else.
json added_tokens_of(const GgufPieces& pieces) {
  json tokens = json::array();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const PieceType type = pieces.types[i];
    const bool special = type == PieceType::control || type == PieceType::unknown;
    if (!special && type != PieceType::user_defined) continue;
    tokens.push_back({{"id", i},
                      {"content", pieces.texts[i]},
                      {"single_word", false},
                      {"lstrip", false},
                      {"rstrip", false},
                      {"normalized", false},
                      {"special", special}});
  }
  return tokens;
}

/// The ids that Hugging Face puts around a text on request.
json template_of(const gguf::Gguf& file, const GgufPieces& pieces, bool add_bos) {
  json single = json::array(), ids = json::object();
  const auto add = [&](const std::string& role, bool otherwise) {
    const std::string key = "add_" + role + "_token";
    const std::optional<std::int32_t> id = id_of(file, role + "_token_id");
    if (!flag_or(file, key, otherwise && id)) return;
    if (!id)
      file.fail(ggml_key(key),
                ggml_key(role + "_token_id") + " is missing, so there is none to add");
    const auto index = static_cast<std::size_t>(*id);
    const std::string& text = pieces.texts[index];
    single.push_back({{"SpecialToken", {{"id", text}, {"type_id", 0}}}});
    ids[text] = {{"id", text}, {"ids", {index}}, {"tokens", {text}}};
  };
  add("bos", add_bos);
  single.push_back({{"Sequence", {{"id", "A"}, {"type_id", 0}}}});
  add("eos", false);
  if (single.size() == 1) return nullptr;
  json pair = single;
  pair.push_back({{"Sequence", {{"id", "B"}, {"type_id", 1}}}});
  return {{"type", "TemplateProcessing"},
          {"single", std::move(single)},
          {"pair", std::move(pair)},
          {"special_tokens", std::move(ids)}};
}

json model_of(const GgufPieces& pieces, std::vector<std::string> merges) {
  return {{"type", "BPE"},
          {"dropout", nullptr},
          {"unk_token", nullptr},
          {"continuing_subword_prefix", nullptr},
          {"end_of_word_suffix", nullptr},
          {"fuse_unk", false},
          {"byte_fallback", false},
          {"ignore_merges", false},
          {"vocab", vocabulary_of(pieces)},
          {"merges", std::move(merges)}};
}

const GgufFamily& family_of(const gguf::Gguf& file) {
  const std::string key = ggml_key("pre");
  const GgufFamily* family = file.has(key) ? find_family(file.text(key)) : nullptr;
  if (family == nullptr)
    file.fail(key, "supported with the " + ggml_key("model") + " gpt2 are " + family_names());
  return *family;
}

json byte_level_document(const gguf::Gguf& file, const GgufPieces& pieces) {
  const GgufFamily& family = family_of(file);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces.types[i] == PieceType::byte)
      file.fail(ggml_key("token_type"),
                "number " + std::to_string(i) + " is 6 (byte), which byte-level BPE does not have");
  if (flag_or(file, "add_space_prefix", false))
    file.fail(ggml_key("add_space_prefix"), "only false is supported with byte-level BPE");
  json model = model_of(pieces, read_merges(file, pieces));
  model["ignore_merges"] = family.ignore_merges;
  const json byte_level = {{"type", "ByteLevel"},
                           {"add_prefix_space", true},
                           {"trim_offsets", true},
                           {"use_regex", true}};
  return {{"normalizer", family.normalizer()},
          {"pre_tokenizer", family.pre_tokenizer()},
          {"post_processor", template_of(file, pieces, family.add_bos)},
          {"decoder", byte_level},
          {"model", std::move(model)}};
}

/// As transformers converts the BPE of SentencePiece (references.md#sentencepiece) for Llama 2 and
/// Gemma.
json sentence_piece_document(const gguf::Gguf& file, const GgufPieces& pieces) {
  const std::string pre = ggml_key("pre");
  if (file.has(pre) && file.text(pre) != "default")
    file.fail(pre, "supported with the " + ggml_key("model") + " llama is default");
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string text = byte_piece(static_cast<std::uint8_t>(byte));
    const bool as_character =
        byte < 128 && pieces.ids.count(std::string(1, static_cast<char>(byte)));
    if (pieces.ids.count(text) == 0 && !as_character)
      file.fail(ggml_key("tokens"), text + " is not among them; SentencePiece needs all 256 bytes");
  }
  const bool prefix = flag_or(file, "add_space_prefix", true);
  json model = model_of(pieces, file.has(ggml_key("merges")) ? read_merges(file, pieces)
                                                             : derived_merges(file, pieces));
  model["byte_fallback"] = true;
  model["fuse_unk"] = true;
  if (const auto unknown = id_of(file, "unknown_token_id"))
    model["unk_token"] = pieces.texts[static_cast<std::size_t>(*unknown)];

  const json marks = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", kSpaceMark}};
  json decoders =
      json::array({{{"type", "Replace"}, {"pattern", {{"String", kSpaceMark}}}, {"content", " "}},
                   {{"type", "ByteFallback"}},
                   {{"type", "Fuse"}}});
  json normalizer = marks;
  if (prefix) {
    const json first = {{"type", "Prepend"}, {"prepend", kSpaceMark}};
    normalizer = {{"type", "Sequence"}, {"normalizers", {first, marks}}};
    decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  return {{"normalizer", std::move(normalizer)},
          {"pre_tokenizer", nullptr},
          {"post_processor", template_of(file, pieces, true)},
          {"decoder", {{"type", "Sequence"}, {"decoders", std::move(decoders)}}},
          {"model", std::move(model)}};
}

}  // namespace

json gguf_document(const gguf::Gguf& file) {
  const std::string key = ggml_key("model");
  const std::string_view model = file.text(key);
  if (model != kBpe && model != kSentencePiece)
    file.fail(key, "supported are gpt2 (byte-level BPE) and llama (SentencePiece's BPE)");
  const GgufPieces pieces = read_pieces(file);
  check_keys(file, pieces.size());
  if (flag_or(file, "remove_extra_whitespaces", false))
    file.fail(ggml_key("remove_extra_whitespaces"), "only false is supported");
  json document =
      model == kBpe ? byte_level_document(file, pieces) : sentence_piece_document(file, pieces);
  document["version"] = "1.0";
  document["truncation"] = nullptr;
  document["padding"] = nullptr;
  document["added_tokens"] = added_tokens_of(pieces);
  return document;
}

std::string tokenizer_json(const gguf::Gguf& file) { return gguf_document(file).dump(1) + "\n"; }

}  // namespace axelram::tokens
