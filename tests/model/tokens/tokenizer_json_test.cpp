#include <chrono>
#include <random>

#include "support.hpp"

namespace {

using namespace axelram;
using namespace axelram::tokens;
using namespace test;

void check_against_library(const std::string& name, std::size_t at_least) {
  const auto tokenizer = read_tokenizer_json(reference(name + ".json"));
  const auto expected = json_of(name + ".expected.json");
  CHECK(expected.size() >= at_least);
  for (const auto& item : expected) {
    const std::string text = item.at("text");
    CASE(item, text);
    CHECK_SAME(tokenizer->encode(text), item.at("ids").get<Ids>());
  }
}

TEST_CASE("GPT-2's pattern: the ids of Hugging Face's library") {
  check_against_library("gpt2", 150);
}
TEST_CASE("Llama 3's pattern, ignore_merges: the ids of Hugging Face's library") {
  check_against_library("llama3", 150);
}
TEST_CASE("Qwen2's pattern, NFC, added tokens: the ids of Hugging Face's library") {
  check_against_library("qwen2", 150);
}
TEST_CASE("every behaviour of Split, Digits: the ids of Hugging Face's library") {
  check_against_library("stages", 150);
}
TEST_CASE("add_prefix_space: the ids of Hugging Face's library") {
  check_against_library("prefixed", 150);
}

TEST_CASE("pieces add up to the text") {
  for (const char* name : {"gpt2", "llama3"}) {
    CASE(name);
    const auto tokenizer = read_tokenizer_json(reference(std::string(name) + ".json"));
    for (const auto& item : json_of(std::string(name) + ".expected.json")) {
      CASE(item);
      const std::string text = item.at("text");
      CHECK(pieces(*tokenizer, tokenizer->encode(text)) == text);
    }
  }
  const auto qwen = read_tokenizer_json(reference("qwen2.json"));
  CHECK(pieces(*qwen, qwen->encode("re\u0301sume\u0301 \u212b")) == "r\u00e9sum\u00e9 \u00c5");
  CHECK(pieces(*qwen, qwen->encode("a<|im_end|>b")) == "a<|im_end|>b");
  CHECK(pieces(*qwen, qwen->encode("a  <|mask|>  b")) == "a<|mask|>b");
}

TEST_CASE("BOS comes from the template, or from a token that says so") {
  CHECK(read_tokenizer_json(reference("llama3.json"))->bos() == 600);
  CHECK_FALSE(read_tokenizer_json(reference("gpt2.json"))->bos().has_value());
  auto changed = json_of("llama3.json");
  changed["post_processor"] = nullptr;
  const TemporaryFile file(changed.dump());
  CHECK(read_tokenizer_json(file.path)->bos() == 600);
  changed["added_tokens"][0]["content"] = "<|start|>";
  file.write(changed.dump());
  CHECK_FALSE(read_tokenizer_json(file.path)->bos().has_value());
}

TEST_CASE("pieces are bytes, the vocabulary counts added tokens") {
  const auto tokenizer = read_tokenizer_json(reference("gpt2.json"));
  CHECK(tokenizer->vocabulary() == 601);
  CHECK(tokenizer->piece(600) == "<|endoftext|>");
  std::string all;
  for (std::int32_t id = 0; id < 256; ++id) all += tokenizer->piece(id);
  std::sort(all.begin(), all.end(), [](char a, char b) {
    return static_cast<std::uint8_t>(a) < static_cast<std::uint8_t>(b);
  });
  REQUIRE(all.size() == 256);
  for (std::size_t i = 0; i < 256; ++i) CHECK_AT(i, static_cast<std::uint8_t>(all[i]) == i);
  CHECK_THROWS_AS(tokenizer->piece(601), std::out_of_range);
  CHECK_THROWS_AS(tokenizer->piece(-1), std::out_of_range);
}

TEST_CASE("what is not UTF-8 is an error that names the byte") {
  const auto tokenizer = read_tokenizer_json(reference("gpt2.json"));
  const auto byte_of = [&](const std::string& text) {
    return error_of([&] { tokenizer->encode(text); });
  };
  CHECK(byte_of("ab\xff").find("no UTF-8 at byte 2;") != std::string::npos);
  CHECK(byte_of("\x80").find("no UTF-8 at byte 0;") != std::string::npos);
  CHECK(byte_of("\u00e9\xc3").find("no UTF-8 at byte 2;") != std::string::npos);
  CHECK(byte_of("a\xc0\xaf").find("no UTF-8 at byte 1;") != std::string::npos);
  CHECK(byte_of("a\xe0\x80\xaf").find("no UTF-8 at byte 1;") != std::string::npos);
  CHECK(byte_of("a\xed\xa0\x80").find("no UTF-8 at byte 1;") != std::string::npos);
  CHECK(byte_of("a\xf4\x90\x80\x80").find("no UTF-8 at byte 1;") != std::string::npos);
  CHECK(byte_of("a\xf0\x9f\x98").find("no UTF-8 at byte 1;") != std::string::npos);
  CHECK(byte_of("a\xf5\x80\x80\x80").find("no UTF-8 at byte 1;") != std::string::npos);
  CHECK(byte_of("\xf4\x8f\xbf\xbf\xed\x9f\xbf\xee\x80\x80\xc2\x80\xe0\xa0\x80").empty());
}

TEST_CASE("a byte without an id is an error where it occurs") {
  auto changed = json_of("gpt2.json");
  changed["model"]["vocab"].erase("z");
  const TemporaryFile file(changed.dump());
  const auto tokenizer = read_tokenizer_json(file.path);
  CHECK(tokenizer->encode("a").size() == 1);
  const std::string message = error_of([&] { tokenizer->encode("a fuzz"); });
  CASE(message);
  CHECK(message.find("no id for the byte 0x7A of ' fuzz'") != std::string::npos);
}

TEST_CASE("long texts and long runs take seconds, not hours") {
  const auto start = std::chrono::steady_clock::now();
  std::mt19937 random(3);
  for (const char* name : {"gpt2", "llama3", "qwen2"}) {
    CASE(name);
    const auto tokenizer = read_tokenizer_json(reference(std::string(name) + ".json"));
    std::string letters;
    for (int i = 0; i < 200'000; ++i) letters += static_cast<char>('a' + random() % 26);
    for (const std::string& text :
         {letters, std::string(200'000, ' '), std::string(200'000, '\n'), std::string(200'000, '<'),
          std::string(200'000, ' ') + "a", std::string(200'000, '!') + "\n"}) {
      CASE(text);
      const Ids ids = tokenizer->encode(text);
      CHECK(pieces(*tokenizer, ids) == text);
    }
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::minutes(2));
}

}  // namespace
