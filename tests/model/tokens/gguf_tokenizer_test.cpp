#include <cstdlib>

#include "axelram/tokens/text.hpp"
#include "gguf_file.hpp"
#include "needs.hpp"
#include "support.hpp"

namespace {

using namespace axelram;
using namespace axelram::tokens;
using namespace test;

/// FNV-1a, as in reference/from_metadata.py.
std::string digest_of(const Ids& ids) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (const std::int32_t id : ids)
    for (unsigned shift = 0; shift < 32; shift += 8)
      value = (value ^ (static_cast<std::uint32_t>(id) >> shift & 0xFF)) * 0x100000001B3;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

nlohmann::json recorded(const Ids& ids) { return {ids.size(), digest_of(ids)}; }

std::unique_ptr<Tokenizer> read_kind(const std::string& kind) {
  return read_gguf(Gguf::map(reference(kind + ".gguf")));
}

/// Calls `check(name, tokenizer, number)` for the tokenizer of each kind: that of the GGUF file,
/// and that of its tokenizer.json.
template <class Check>
void for_each_kind(const Check& check) {
  std::size_t number = 0;
  const auto expected = json_of("gguf.expected.json");
  for (const std::string kind : expected.at("kinds")) {
    CASE(kind);
    check(kind + ".gguf", *read_kind(kind), number);
    const TemporaryFile file(tokenizer_json(Gguf::map(reference(kind + ".gguf"))));
    check(kind + ".json", *read_tokenizer_json(file.path), number);
    ++number;
  }
  CHECK(number == 6);
}

TEST_CASE("GGUF: the ids of the original libraries, for every kind of tokenizer") {
  const auto expected = json_of("gguf.expected.json");
  CHECK(expected.at("texts").size() > 150);
  for_each_kind([&](const std::string& name, const Tokenizer& tokenizer, std::size_t number) {
    CASE(name);
    for (const auto& item : expected.at("texts")) {
      const std::string text = item.at("text");
      CASE(item, text);
      CHECK(recorded(tokenizer.encode(text)) == item.at("ids").at(number));
    }
  });
}

TEST_CASE("GGUF: the ids of the original libraries for long texts" * test::needs_data) {
  const auto expected = json_of("gguf.expected.json");
  for_each_kind([&](const std::string& name, const Tokenizer& tokenizer, std::size_t number) {
    CASE(name);
    for (const auto& item : expected.at("files")) {
      const std::string file = item.at("file");
      CASE(item, file);
      const Ids ids = tokenizer.encode(bytes_of(test::data() + "/text/" + file));
      CHECK(recorded(ids) == item.at("ids").at(number));
    }
  });
}

TEST_CASE("GGUF: pieces add up to the text, and bytes of ids to its size") {
  for_each_kind([](const std::string& name, const Tokenizer& tokenizer, std::size_t) {
    const std::string before = name.rfind("llama.", 0) == 0 ? " " : "";
    for (const std::string text :
         {"a  b\n\n c\t\tde\v\v", "\u00e9\u9375\U0001f600\x01", "12 345", "<|im_end|>"}) {
      CASE(name, text);
      const Encoded encoded = tokenizer.encode_with_bytes(text);
      CHECK(pieces(tokenizer, encoded.ids) == before + text);
      std::size_t bytes = 0;
      for (const std::uint32_t size : encoded.bytes) bytes += size;
      CHECK(bytes == (before + text).size());
    }
  });
}

TEST_CASE("GGUF: pieces of SentencePiece: bytes, spaces, added tokens") {
  const auto gemma = read_kind("gemma");
  const Gguf file = Gguf::map(reference("gemma.gguf"));
  const auto texts = file.texts("tokenizer.ggml.tokens");
  const auto types = file.integers("tokenizer.ggml.token_type");
  REQUIRE(gemma->vocabulary() == texts.size());
  std::string bytes;
  for (std::size_t id = 0; id < texts.size(); ++id) {
    CASE(id);
    const std::string piece = gemma->piece(static_cast<std::int32_t>(id));
    CHECK(piece.find("\u2581") == std::string::npos);
    if (types[id] == 6) bytes += piece;
  }
  REQUIRE(bytes.size() == 256);
  for (std::size_t i = 0; i < 256; ++i) CHECK_AT(i, static_cast<std::uint8_t>(bytes[i]) == i);
  CHECK(gemma->piece(gemma->encode("  ").at(0)) == "  ");
  CHECK(gemma->encode("   ").size() == 1);
  CHECK_SAME(gemma->encode("<bos>"), Ids{2});
  CHECK(gemma->piece(2) == "<bos>");
}

TEST_CASE("GGUF: BOS is bos_token_id, and the template of tokenizer.json has it if it is added") {
  CHECK(read_kind("gemma")->bos() == 2);
  CHECK_FALSE(read_kind("gpt-2")->bos().has_value());
  GgufFile changed(Gguf::map(reference("gpt-2.gguf")));
  changed.set("tokenizer.ggml.bos_token_id", 5U);
  const Gguf file = Gguf::parse(changed.bytes(), "changed");
  CHECK(read_gguf(file)->bos() == 5);
  CHECK(nlohmann::json::parse(tokenizer_json(file)).at("post_processor").is_null());
  changed.set("tokenizer.ggml.add_bos_token", true);
  changed.set("tokenizer.ggml.add_eos_token", true);
  const auto json = nlohmann::json::parse(tokenizer_json(Gguf::parse(changed.bytes(), "changed")));
  const auto& single = json.at("post_processor").at("single");
  REQUIRE(single.size() == 3);
  const std::string first = single[0].at("SpecialToken").at("id");
  CHECK(json.at("model").at("vocab").at(first) == 5);
  CHECK(single[2].contains("SpecialToken"));
}

TEST_CASE("GGUF: merges of the file go before those of the scores, unused pieces have no text") {
  GgufFile changed(Gguf::map(reference("gemma.gguf")));
  changed.texts("tokenizer.ggml.merges") = {"h e", "\u2581 t"};
  const auto tokenizer = read_gguf(Gguf::parse(changed.bytes(), "changed"));
  const Ids ids = tokenizer->encode(" the");
  REQUIRE(ids.size() == 2);  // by the scores, one
  CHECK(tokenizer->piece(ids[0]) == " t");
  CHECK(tokenizer->piece(ids[1]) == "he");

  GgufFile unused(Gguf::map(reference("gpt-2.gguf")));
  auto& texts = unused.texts("tokenizer.ggml.tokens");
  const std::size_t count = texts.size();
  auto types = Gguf::map(reference("gpt-2.gguf")).integers("tokenizer.ggml.token_type");
  for (const char* text : {"[PAD]", "[PAD]", "x"}) texts.emplace_back(text);
  types.insert(types.end(), {5, 5, 4});
  texts.back() = "<x>";
  unused.set("tokenizer.ggml.token_type", std::vector<std::int32_t>(types.begin(), types.end()));
  const auto padded = read_gguf(Gguf::parse(unused.bytes(), "unused"));
  CHECK(padded->vocabulary() == count + 3);
  for (const std::size_t id : {count, count + 1})
    CHECK_AT(id, padded->piece(static_cast<std::int32_t>(id)).empty());
  CHECK_SAME(padded->encode("<x>"), Ids{static_cast<std::int32_t>(count + 2)});
}

TEST_CASE("GGUF: merges of one score begin with the longest left piece, as transformers has them") {
  const auto json = nlohmann::json::parse(tokenizer_json(Gguf::map(reference("gemma.gguf"))));
  const auto& merges = json.at("model").at("merges");
  const auto rank = [&](const char* merge) {
    return std::find(merges.begin(), merges.end(), merge) - merges.begin();
  };
  REQUIRE(rank("h er") < static_cast<std::ptrdiff_t>(merges.size()));
  CHECK(rank("he r") + 1 == rank("h er"));
  CHECK(rank("\u2581i t") + 1 == rank("\u2581 it"));
}

TEST_CASE("GGUF: SentencePiece puts a space first unless the file says otherwise") {
  GgufFile file(Gguf::map(reference("gemma.gguf")));
  const auto begins = [&] {
    const auto tokenizer = read_gguf(Gguf::parse(file.bytes(), "changed"));
    return pieces(*tokenizer, tokenizer->encode("a"));
  };
  CHECK(begins() == "a");
  file.set("tokenizer.ggml.add_space_prefix", true);
  CHECK(begins() == " a");
  file.erase("tokenizer.ggml.add_space_prefix");
  CHECK(begins() == " a");
}

TEST_CASE("GGUF: the tokenizer of a model, or of --tokenizer") {
  const std::string path = reference("smollm.gguf");
  const Ids ids = read_kind("smollm")->encode("The key");
  CHECK_SAME(choose_tokenizer(path, 600, "")->encode("The key"), ids);
  CHECK_SAME(choose_tokenizer("nowhere", 600, path)->encode("The key"), ids);
  const TemporaryFile nameless(bytes_of(path));
  CHECK_SAME(choose_tokenizer("nowhere", 600, nameless.path)->encode("The key"), ids);
  CHECK(choose_tokenizer(path, 600, "byte")->vocabulary() == 256);
  CHECK(choose_tokenizer(path, 600, reference("gpt2.json"))->vocabulary() == 601);
  CHECK(error_of([] { choose_tokenizer("nowhere", 1000, ""); }).find("a GGUF file") !=
        std::string::npos);
}

TEST_CASE("GGUF: a long text without a break takes seconds") {
  const auto gemma = read_kind("gemma");
  std::string text;
  while (text.size() < 1'000'000) text += "the key is rotated ";
  CHECK(pieces(*gemma, gemma->encode(text)) == text);
  CHECK(gemma->encode(std::string(1'000'000, '<')).size() > 100'000);
}

/// The tokenizer of a pretrained model against models.expected.json: difficult texts, and long ones
/// if they are there.
void check_pretrained(const std::string& name) {
  const auto expected = json_of("models.expected.json").at(name);
  const auto texts = json_of("gguf.expected.json").at("texts");
  const auto tokenizer = choose_tokenizer(test::pretrained(name), 0, "");
  CHECK(tokenizer->vocabulary() == expected.at("vocabulary"));
  REQUIRE(expected.at("texts").size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string text = texts[i].at("text");
    CASE(i, text);
    CHECK(recorded(tokenizer->encode(text)) == expected.at("texts")[i]);
  }
  const char* const data = std::getenv("AXELRAM_DATA");
  for (const auto& [file, ids] : expected.at("files").items()) {
    const std::string path = std::string(data == nullptr ? "" : data) + "/text/" + file;
    CASE(file);
    if (std::filesystem::exists(path)) CHECK(recorded(tokenizer->encode(bytes_of(path))) == ids);
  }
}

TEST_CASE("SmolLM2: the ids of Hugging Face's library" * test::needs_smollm2) {
  check_pretrained("smollm2-135m");
}

TEST_CASE("Gemma 3: the ids of Hugging Face's library and of sentencepiece" * test::needs_gemma3) {
  check_pretrained("gemma3-270m");
}

}  // namespace
