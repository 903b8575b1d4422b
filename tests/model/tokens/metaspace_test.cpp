#include <cstdio>
#include <nlohmann/json.hpp>

#include "support.hpp"

namespace {

using namespace axelram;
using namespace axelram::tokens;
using namespace test;
using nlohmann::json;

/// The texts of metaspace.expected.json, and those that make_metaspace.py draws as well.
std::vector<std::string> texts_of(const json& expected) {
  auto texts = expected.at("texts").get<std::vector<std::string>>();
  const auto alphabet = expected.at("alphabet").get<std::vector<std::string>>();
  std::uint64_t state = 1;
  const auto below = [&](std::uint64_t n) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>((state >> 33) % n);
  };
  for (int drawn = expected.at("drawn"); drawn > 0; --drawn) {
    std::string& text = texts.emplace_back();
    for (std::size_t parts = 1 + below(24); parts > 0; --parts)
      text += alphabet[below(alphabet.size())];
  }
  return texts;
}

/// FNV-1a of the number of ids of each text and of its ids.
std::string digest(const Tokenizer& tokenizer, const std::string* text, std::size_t count) {
  std::uint64_t value = 0xCBF29CE484222325;
  const auto add = [&](std::uint32_t number) {
    for (int byte = 0; byte < 4; ++byte)
      value = (value ^ (number >> (8 * byte) & 255U)) * 0x100000001B3;
  };
  for (; count > 0; --count, ++text) {
    const Ids ids = tokenizer.encode(*text);
    add(static_cast<std::uint32_t>(ids.size()));
    for (const std::int32_t id : ids) add(static_cast<std::uint32_t>(id));
  }
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(value));
  return hex;
}

json with(json document, const json& change) {
  document["normalizer"] = change.at("normalizer");
  document["pre_tokenizer"] = change.at("pre_tokenizer");
  return document;
}

TEST_CASE("Metaspace, as transformers writes it now: the ids of Hugging Face's library") {
  const auto tokenizer = read_tokenizer_json(reference("metaspace.json"));
  const json expected = json_of("metaspace.expected.json");
  const std::vector<std::string> texts = texts_of(expected);
  const std::size_t more = expected.at("more");
  const std::size_t first = expected.at("texts").size() - more;
  for (std::size_t i = 0; i < more; ++i) {
    CASE(texts[first + i]);
    CHECK_SAME(tokenizer->encode(texts[first + i]), expected.at("ids").at(i).get<Ids>());
  }
}

TEST_CASE("Metaspace of every kind, on 1340 texts: the ids of Hugging Face's library") {
  const json document = json_of("metaspace.json"), expected = json_of("metaspace.expected.json");
  const std::vector<std::string> texts = texts_of(expected);
  CHECK(texts.size() == 1340);
  const std::size_t block = expected.at("block");
  for (const json& variant : expected.at("variants")) {
    CASE(variant.at("normalizer"), variant.at("pre_tokenizer"));
    const TemporaryFile file(with(document, variant).dump());
    const auto tokenizer = read_tokenizer_json(file.path);
    const json& blocks = variant.at("blocks");
    REQUIRE(blocks.size() * block == texts.size());
    for (std::size_t i = 0; i < blocks.size(); ++i)
      CHECK_AT(texts[i * block], digest(*tokenizer, &texts[i * block], block) == blocks[i]);
  }
}

TEST_CASE("Metaspace: pieces have spaces, and bytes are counted with them") {
  const auto tokenizer = read_tokenizer_json(reference("metaspace.json"));
  for (const char* text : {" the key", " a  b ", "<s> a", " \u00e9\U0001f600"}) {
    CASE(text);
    const Encoded encoded = tokenizer->encode_with_bytes(text);
    CHECK(pieces(*tokenizer, encoded.ids) == text);
    std::size_t bytes = 0;
    for (const std::uint32_t one : encoded.bytes) bytes += one;
    CHECK(bytes == std::string(text).size());
  }
  CHECK(pieces(*tokenizer, tokenizer->encode("the<s>the")) == " the<s>the");
  CHECK(tokenizer->bos() == 1);
}

TEST_CASE("Metaspace: what is not supported is named") {
  const json document = json_of("metaspace.json");
  const auto error = [&](const char* pre_tokenizer) {
    const json change = {{"normalizer", nullptr}, {"pre_tokenizer", json::parse(pre_tokenizer)}};
    const TemporaryFile file(with(document, change).dump());
    return error_of([&] { read_tokenizer_json(file.path); });
  };
  const auto names = [&](const char* pre_tokenizer, const std::string& part) {
    const std::string text = error(pre_tokenizer);
    CASE(pre_tokenizer, text);
    CHECK(text.find(part) != std::string::npos);
  };
  CHECK(error(R"({"type":"Metaspace","replacement":"_","add_prefix_space":false,
                  "prepend_scheme":"never","str_rep":"_"})")
            .empty());
  names(R"({"type":"Metaspace"})", "pre_tokenizer.replacement: missing");
  names(R"({"type":"Metaspace","replacement":""})", "pre_tokenizer.replacement: \"\"; one char");
  names(R"({"type":"Metaspace","replacement":"ab"})", "pre_tokenizer.replacement: \"ab\"; one");
  names(R"({"type":"Metaspace","replacement":"_","prepend_scheme":"First"})",
        "pre_tokenizer.prepend_scheme: \"First\"; never, first or always");
  names(R"({"type":"Metaspace","replacement":"_","split":1})", "pre_tokenizer.split: 1; true or");
  names(R"({"type":"Metaspace","replacement":"_","add_prefix_space":false})",
        "pre_tokenizer.add_prefix_space: false; with it prepend_scheme must be \"never\"");
  names(R"({"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":true},
            {"type":"Metaspace","replacement":"_"}]})",
        "pretokenizers[1].type: \"Metaspace\"; only");
  json byte_level = json_of("gpt2.json");
  byte_level["pre_tokenizer"] = json::parse(
      R"({"type":"Sequence","pretokenizers":[{"type":"Metaspace","replacement":"_"},
          {"type":"ByteLevel","add_prefix_space":false}]})");
  const TemporaryFile file(byte_level.dump());
  const std::string text = error_of([&] { read_tokenizer_json(file.path); });
  CASE(text);
  CHECK(text.find("pretokenizers[0].type: \"Metaspace\"; only") != std::string::npos);
}

}  // namespace
