#include <functional>
#include <limits>
#include <random>

#include "gguf_file.hpp"
#include "support.hpp"

namespace {

using namespace axelram;
using namespace axelram::tokens;
using namespace test;

const std::string kPrefix = "tokenizer.ggml.";

/// The error of a file of make_gguf.py that `change` has been at; "" if it is read all the same.
std::string error_with(const std::string& kind, const std::function<void(GgufFile&)>& change) {
  GgufFile file(Gguf::map(reference(kind + ".gguf")));
  change(file);
  return error_of([&] { read_gguf(Gguf::parse(file.bytes(), "changed.gguf")); });
}

template <class Value>
std::string error_set(const std::string& kind, const std::string& key, const Value& value) {
  return error_with(kind, [&](GgufFile& file) { file.set(kPrefix + key, value); });
}

std::string error_text(const std::string& kind, const std::string& key, std::size_t number,
                       const std::string& text) {
  return error_with(kind, [&](GgufFile& file) { file.texts(kPrefix + key).at(number) = text; });
}

void check_names(const std::string& error, const std::string& key, const std::string& part) {
  CASE(error, key, part);
  CHECK(error.rfind("changed.gguf: " + kPrefix + key + " is ", 0) == 0);
  CHECK(error.find(part) != std::string::npos);
}

TEST_CASE("GGUF: a tokenizer that is not supported is named, with those that are") {
  check_names(error_set("gpt-2", "model", "t5"), "model", "'t5'; supported are gpt2");
  check_names(
      error_set("gpt-2", "pre", "default"), "pre",
      "'default'; supported with the tokenizer.ggml.model gpt2 are gpt-2, smollm, llama-bpe "
      "or qwen2");
  check_names(error_with("gpt-2", [](GgufFile& file) { file.erase(kPrefix + "pre"); }), "pre",
              "missing; supported with");
  check_names(error_set("gemma", "pre", "gpt-2"), "pre", "'gpt-2'; supported");
  CHECK(error_with("gemma", [](GgufFile& file) { file.erase(kPrefix + "pre"); }).empty());
  check_names(error_set("gpt-2", "precompiled_charsmap", "x"), "precompiled_charsmap",
              "this key is not supported");
  check_names(error_set("gpt-2", "normalizer.lowercase", true), "normalizer.lowercase",
              "this key is not supported");
  check_names(error_set("gpt-2", "add_space_prefix", true), "add_space_prefix", "only false");
  CHECK(error_set("gpt-2", "add_space_prefix", false).empty());
  check_names(error_set("llama", "remove_extra_whitespaces", true), "remove_extra_whitespaces",
              "only false");
  for (const char* key : {"eot_token_id", "fim_pre_token_id", "mask_token_id", "token_type_count"})
    CHECK_AT(key, error_set("gpt-2", key, 3U).empty());
}

TEST_CASE("GGUF: other names of a known preparation of texts") {
  for (const auto& [kind, aliases] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"gpt-2", {"phi-2", "gigachat", "mellum", "a.x-4.0"}},
           {"smollm", {"starcoder", "refact"}},
           {"llama-bpe",
            {"llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"}},
           {"qwen2", {"deepseek-r1-qwen", "kormo", "megrez"}}}) {
    GgufFile file(Gguf::map(reference(kind + ".gguf")));
    const std::string right = tokenizer_json(Gguf::parse(file.bytes(), "right.gguf"));
    for (const std::string& alias : aliases) {
      CASE(kind, alias);
      file.set(kPrefix + "pre", alias);
      CHECK(tokenizer_json(Gguf::parse(file.bytes(), "alias.gguf")) == right);
    }
  }
  for (const char* pre : {"", " ", "phi-2 gigachat", "llama", "tekken"})
    CHECK_AT(pre, !error_set("gpt-2", "pre", std::string(pre)).empty());
}

TEST_CASE("GGUF: lists of ids with a role, and flags that add none") {
  CHECK(error_set("gpt-2", "eos_token_ids", std::vector<std::int32_t>{1, 2}).empty());
  check_names(error_set("gpt-2", "eos_token_ids", 3U), "eos_token_ids", "a list of whole numbers");
  CHECK(error_set("gpt-2", "add_padding_token", false).empty());
  check_names(error_set("gpt-2", "add_mask_token", true), "add_mask_token", "supported is false");
}

TEST_CASE("GGUF: keys of the tokenizer that are missing or of another type") {
  for (const char* key : {"model", "tokens", "token_type", "merges"}) {
    CASE(key);
    const std::string error =
        error_with("gpt-2", [&](GgufFile& file) { file.erase(kPrefix + key); });
    CASE(error);
    CHECK(error.find(kPrefix + key + " is missing") != std::string::npos);
  }
  for (const char* key : {"model", "pre", "tokens", "token_type", "merges", "scores",
                          "add_bos_token", "add_eos_token", "add_space_prefix"}) {
    CASE(key);
    check_names(error_set("gpt-2", key, 7U), key, "it must be");
  }
  check_names(error_set("gpt-2", "eos_token_id", true), "eos_token_id", "a whole number");
  check_names(error_with("gemma", [](GgufFile& file) { file.erase(kPrefix + "scores"); }), "scores",
              "missing; SentencePiece needs them");
}

TEST_CASE("GGUF: lists that do not fit each other") {
  const auto count = Gguf::map(reference("gemma.gguf")).texts(kPrefix + "tokens").size();
  check_names(error_set("gemma", "token_type", std::vector<std::int32_t>(count - 1, 1)),
              "token_type", "tokenizer.ggml.tokens has");
  check_names(error_set("gemma", "scores", std::vector<float>(count + 1, 0.0F)), "scores",
              "tokenizer.ggml.tokens has");
  check_names(error_set("gemma", "scores", std::vector<float>(count, -1.0F)), "scores",
              "all scores are equal");
  check_names(error_set("gemma", "scores",
                        std::vector<float>(count, std::numeric_limits<float>::quiet_NaN())),
              "scores", "finite");
  for (const std::int32_t type : {0, 7, -1}) {
    CASE(type);
    check_names(error_set("gemma", "token_type", std::vector<std::int32_t>(count, type)),
                "token_type", "number 0 is " + std::to_string(type));
  }
  check_names(error_set("gemma", "tokens", ""), "tokens", "a list of texts");
  check_names(error_with("gemma", [](GgufFile& file) { file.texts(kPrefix + "tokens").clear(); }),
              "tokens", "1..2^24");
  const auto id = static_cast<std::uint32_t>(count);
  check_names(error_set("gemma", "bos_token_id", id), "bos_token_id", "an id in 0..");
  check_names(error_set("gemma", "eos_token_id", 0xFFFFFFFFU), "eos_token_id", "an id in 0..");
  // Ids without a part in a text may be none.
  for (const char* key : {"eot_token_id", "padding_token_id", "mask_token_id"})
    CHECK_AT(key, error_set("gemma", key, 0xFFFFFFFFU).empty());
  check_names(error_with("gemma",
                         [](GgufFile& file) {
                           file.erase(kPrefix + "bos_token_id");
                           file.set(kPrefix + "add_bos_token", true);
                         }),
              "add_bos_token", "tokenizer.ggml.bos_token_id is missing");
}

TEST_CASE("GGUF: pieces that cannot be") {
  check_names(error_text("gemma", "tokens", 300, ""), "tokens", "number 300 is empty");
  check_names(error_text("gemma", "tokens", 300, "a\xff"), "tokens", "number 300 is no UTF-8");
  check_names(error_text("gemma", "tokens", 300, "<bos>"), "tokens", "numbers 2 and 300 are both");
  check_names(error_text("gemma", "tokens", 300, std::string(1025, 'a')), "tokens",
              "number 300 has 1025 bytes");
  const auto types = Gguf::map(reference("gemma.gguf")).integers(kPrefix + "token_type");
  const auto byte =
      static_cast<std::size_t>(std::find(types.begin(), types.end(), 6) - types.begin());
  check_names(error_text("gemma", "tokens", byte + 1, "<0x1>"), "tokens",
              "is a byte by its type, but '<0x1>'");
  check_names(error_with("gemma",
                         [&](GgufFile& file) {
                           std::vector<std::int32_t> changed(types.begin(), types.end());
                           changed[byte + 200] = 1;
                           file.texts(kPrefix + "tokens")[byte + 200] = "\u4e8c";
                           file.set(kPrefix + "token_type", changed);
                         }),
              "tokens", "<0xC8> is not among them");
  check_names(error_with("gemma",
                         [&](GgufFile& file) {
                           std::vector<std::int32_t> changed(types.begin(), types.end());
                           const auto& texts = file.texts(kPrefix + "tokens");
                           const auto he = std::find(texts.begin(), texts.end(), "he");
                           REQUIRE(he != texts.end());
                           changed[static_cast<std::size_t>(he - texts.begin())] = 5;
                           file.set(kPrefix + "token_type", changed);
                         }),
              "tokens", "is unused, yet pieces merge into it");
  check_names(error_with("gpt-2",
                         [&](GgufFile& file) {
                           const auto count = file.texts(kPrefix + "tokens").size();
                           std::vector<std::int32_t> changed(count, 1);
                           changed[9] = 6;
                           file.texts(kPrefix + "tokens")[9] = "<0x41>";
                           file.set(kPrefix + "token_type", changed);
                         }),
              "token_type", "number 9 is 6 (byte)");
}

TEST_CASE("GGUF: merges that cannot be") {
  for (const char* merge : {"", "ab", "a b c", " "}) {
    CASE(merge);
    check_names(error_text("gpt-2", "merges", 5, merge), "merges", "number 5 is");
  }
  check_names(error_text("gpt-2", "merges", 5, "a \u20ac"), "merges",
              "'\u20ac' is not in tokenizer.ggml.tokens");
  check_names(error_text("gpt-2", "merges", 5, "! !"), "merges", "'!!' is not in");
}

TEST_CASE("GGUF: metadata with changed bytes is read or rejected") {
  std::mt19937 random(17);
  int rejected = 0;
  for (const char* kind : {"smollm", "qwen2", "gemma", "llama"}) {
    CASE(kind);
    const std::string whole = bytes_of(reference(std::string(kind) + ".gguf"));
    for (int trial = 0; trial < 300; ++trial) {
      CASE(trial);
      std::vector<std::uint8_t> changed(whole.begin(), whole.end());
      for (int k = 0; k <= trial % 3; ++k)
        changed[random() % changed.size()] = static_cast<std::uint8_t>(random());
      const std::string message = error_of([&] {
        const auto tokenizer = read_gguf(Gguf::parse(changed, "changed.gguf"));
        tokenizer->encode("Hi <|im_end|> 123 e\u0301");
      });
      CASE(message);
      CHECK(message.size() < 1500);
      rejected += message.empty() ? 0 : 1;
    }
  }
  CHECK(rejected > 100);
  CHECK(rejected < 1190);
}

}  // namespace
