#include <chrono>
#include <functional>
#include <random>

#include "support.hpp"

namespace {

using namespace axelram;
using namespace axelram::tokens;
using namespace test;
using nlohmann::json;

/// The error of a file that `change` has been at; "" if it is read all the same.
std::string error_after(const std::string& name, const std::function<void(json&)>& change) {
  static const TemporaryFile file("");
  json document = json_of(name);
  change(document);
  file.write(document.dump());
  return error_of([&] { read_tokenizer_json(file.path); });
}

#define CHECK_NAMES(message, part)               \
  do {                                           \
    const std::string text = message;            \
    CASE(text);                                  \
    CHECK(text.find(part) != std::string::npos); \
  } while (false)

TEST_CASE("what is not supported is named with its place in the file") {
  const auto gpt2 = [](const std::string& pointer, const json& value) {
    return error_after("gpt2.json", [&](json& j) { j[json::json_pointer(pointer)] = value; });
  };
  CHECK(gpt2("/model/dropout", 0.0).empty());
  CHECK(gpt2("/model/unk_token", "<|endoftext|>").empty());
  CHECK(gpt2("/model/end_of_word_suffix", "").empty());
  CHECK_NAMES(gpt2("/model/type", "Unigram"), "model.type: \"Unigram\"; only BPE");
  CHECK_NAMES(gpt2("/model/dropout", 0.1), "model.dropout: 0.1; only null");
  CHECK_NAMES(gpt2("/model/byte_fallback", true),
              "model.byte_fallback: true; model.vocab must have");
  CHECK_NAMES(gpt2("/model/end_of_word_suffix", "</w>"), "model.end_of_word_suffix: \"</w>\"");
  CHECK_NAMES(gpt2("/model/continuing_subword_prefix", "##"), "continuing_subword_prefix: \"##\"");
  CHECK_NAMES(gpt2("/normalizer", {{"type", "NFKC"}}), "normalizer.type: \"NFKC\"");
  CHECK_NAMES(gpt2("/normalizer", json::parse(R"({"type":"Sequence","normalizers":[{"type":"NFC"},
      {"type":"Lowercase"}]})")),
              "normalizer.normalizers[1].type: \"Lowercase\"");
  CHECK_NAMES(gpt2("/pre_tokenizer", nullptr),
              "pre_tokenizer: null; byte-level BPE needs ByteLevel");
  CHECK_NAMES(gpt2("/pre_tokenizer/type", "Metaspace"), "pre_tokenizer.type: \"Metaspace\"");
  CHECK_NAMES(gpt2("/pre_tokenizer", json::parse(R"({"type":"Sequence","pretokenizers":[]})")),
              "pre_tokenizer.pretokenizers: empty");
  CHECK_NAMES(error_after("gpt2.json",
                          [](json& j) {
                            j["model"]["unk_token"] = "?";
                            j["model"]["vocab"].erase("z");
                          }),
              "model.unk_token: \"?\"; only null is supported where bytes have no id, such as z");

  const auto replace = [&](const std::string& more) {
    return gpt2("/normalizer", json::parse(R"({"type":"Replace",)" + more + "}"));
  };
  CHECK(replace(R"("pattern":{"String":" "},"content":"_")").empty());
  CHECK_NAMES(replace(R"("pattern":{"String":"a"},"content":"_")"),
              "normalizer.pattern.String: \"a\"; only \" \"");
  CHECK_NAMES(replace(R"("pattern":{"Regex":" "},"content":"_")"),
              "normalizer.pattern.String: mis");
  CHECK_NAMES(replace(R"("pattern":{"String":" "},"content":"")"),
              "normalizer.content: \"\"; a text");
  CHECK_NAMES(replace(R"("pattern":{"String":" "},"content":" _")"), "normalizer.content: \" _\"");
  CHECK_NAMES(gpt2("/normalizer", {{"type", "Prepend"}, {"prepend", std::string(17, 'a')}}),
              "normalizer.prepend: ");

  const auto llama3 = [](const std::string& pointer, const json& value) {
    return error_after("llama3.json", [&](json& j) { j[json::json_pointer(pointer)] = value; });
  };
  const std::string stages = "/pre_tokenizer/pretokenizers";
  CHECK_NAMES(llama3(stages + "/1/type", "Whitespace"), "pretokenizers[1].type: \"Whitespace\"");
  CHECK_NAMES(llama3(stages + "/0/type", "Whitespace"), "pretokenizers[0].type: \"Whitespace\"");
  CHECK_NAMES(llama3(stages + "/0/type", "ByteLevel"), "pretokenizers[0].type: \"ByteLevel\"");
  CHECK_NAMES(llama3(stages + "/1/add_prefix_space", true), "pretokenizers[1].add_prefix_space");
  CHECK_NAMES(llama3(stages + "/0/behavior", "Gone"), "pretokenizers[0].behavior: \"Gone\"");
  CHECK_NAMES(llama3(stages + "/0/pattern/String", "a"), "pretokenizers[0].pattern: an object");
  for (const char* pattern : {"(", "a\\h", "[]a]", "a]", "[a--b]", "\\p{N}{1,3}+", "(?m:a)",
                              "(?i)a", "\\p{Klingon}", "\\", "\\bword", "", "(?<x>a)\\k<x>"}) {
    CASE(pattern);
    CHECK_NAMES(llama3(stages + "/0/pattern/Regex", pattern), "pretokenizers[0].pattern.Regex: ");
  }
}

TEST_CASE("BPE with byte_fallback: a stage of its pre_tokenizer must not be ByteLevel") {
  const auto gemma = [](const std::string& pointer, const json& value) {
    json document = json::parse(tokenizer_json(gguf::Gguf::map(reference("gemma.gguf"))));
    document[json::json_pointer(pointer)] = value;
    const TemporaryFile file(document.dump());
    return error_of([&] { read_tokenizer_json(file.path); });
  };
  const json split =
      json::parse(R"({"type":"Split","pattern":{"String":" "},"behavior":"MergedWithPrevious"})");
  CHECK(gemma("/pre_tokenizer", split).empty());
  CHECK(gemma("/pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split}}}).empty());
  CHECK_NAMES(gemma("/pre_tokenizer", {{"type", "ByteLevel"}}),
              "pre_tokenizer.type: \"ByteLevel\"; ByteLevel, and it alone");
  CHECK_NAMES(gemma("/pre_tokenizer", {{"type", "Whitespace"}}),
              "pre_tokenizer.type: \"Whitespace\"");
  CHECK_NAMES(gemma("/model/vocab/<0x41>", 1 << 24), "model.vocab.<0x41>: 16777216");
}

TEST_CASE("vocabulary, merges and added tokens must fit each other") {
  const auto qwen2 = [](const std::function<void(json&)>& change) {
    return error_after("qwen2.json", change);
  };
  CHECK_NAMES(qwen2([](json& j) { j["model"]["vocab"]["a"] = j["model"]["vocab"]["b"]; }),
              "model.vocab: 'a' and 'b' have the same id");
  CHECK_NAMES(qwen2([](json& j) { j["model"]["vocab"]["a"] = -1; }), "model.vocab.a: -1; an id");
  CHECK_NAMES(qwen2([](json& j) { j["model"]["vocab"]["a"] = 1 << 24; }),
              "model.vocab.a: 16777216");
  CHECK_NAMES(qwen2([](json& j) { j["model"]["vocab"]["a"] = 1.5; }), "model.vocab.a: 1.5; an id");
  CHECK_NAMES(qwen2([](json& j) { j["model"]["merges"][7] = "a \u20ac"; }),
              "model.merges[7]: '\u20ac' is not in model.vocab");
  CHECK_NAMES(qwen2([](json& j) { j["model"]["merges"][7] = "! !"; }),
              "model.merges[7]: '!!' is not in model.vocab");
  for (const json& merge : {json("ab"), json("a b c"), json("a"), json::array({"a"}), json(3),
                            json::array({"a", "b", "c"}), json::array({"a", 3}), json(nullptr)}) {
    CASE(merge);
    CHECK_NAMES(qwen2([&](json& j) { j["model"]["merges"][7] = merge; }), "model.merges[7]");
  }
  CHECK_NAMES(qwen2([](json& j) { j["added_tokens"][1]["id"] = 600; }),
              "added_tokens[1].id: 600; this is the id of '<|endoftext|>'");
  CHECK_NAMES(qwen2([](json& j) { j["added_tokens"][1]["id"] = 5; }), "added_tokens[1].id: 5;");
  CHECK_NAMES(qwen2([](json& j) { j["added_tokens"][1]["content"] = "a"; }),
              "added_tokens[1].id: 601; model.vocab gives 'a' the id");
  CHECK_NAMES(qwen2([](json& j) { j["added_tokens"][1]["content"] = ""; }),
              "added_tokens[1].content: \"\";");
  CHECK_NAMES(qwen2([](json& j) { j["added_tokens"].push_back(j["added_tokens"][0]); }),
              "added before");
  const auto bos = [](const json& ids) {
    return error_after("llama3.json", [&](json& j) {
      j["post_processor"]["processors"][1]["special_tokens"]["<|begin_of_text|>"]["ids"] = ids;
    });
  };
  CHECK_NAMES(bos({9999}), "post_processor: begins texts with the id 9999");
  CHECK_NAMES(bos(json::array()), "post_processor.processors[1].special_tokens");
}

/// Calls `use` with the place of every value; of long lists and objects with the first few.
void places(const json& value, const json::json_pointer& at,
            const std::function<void(const json::json_pointer&)>& use) {
  use(at);
  int members = 0;
  if (value.is_structured())
    for (const auto& item : value.items()) {
      if (++members > 12) break;
      places(item.value(),
             value.is_array() ? at / static_cast<std::size_t>(members - 1) : at / item.key(), use);
    }
}

TEST_CASE("whatever a value becomes, and whichever is missing, the file is read or rejected") {
  const TemporaryFile file("");
  int rejected = 0, read = 0;
  for (const char* name : {"llama3.json", "qwen2.json", "stages.json", "metaspace.json"}) {
    CASE(name);
    const json whole = json_of(name);
    const auto attempt = [&](const json& document) {
      file.write(document.dump());
      const std::string message = error_of([&] {
        const auto tokenizer = read_tokenizer_json(file.path);
        tokenizer->encode("Hi <|im_end|> 123 e\u0301");
      });
      CASE(message);
      CHECK(message.size() < 1500);
      if (message.empty())
        ++read;
      else
        ++rejected;
    };
    places(whole, json::json_pointer(), [&](const json::json_pointer& at) {
      for (const char* value : {"null", "true", "0", "-1", "1e99", "\"\"", "\"x\"", "[]", "{}",
                                "[null]", "{\"type\":\"NFC\"}"}) {
        CASE(value);
        json document = whole;
        document[at] = json::parse(value);
        attempt(document);
      }
      if (at.empty()) return;
      json document = whole;
      json& parent = document[at.parent_pointer()];
      if (parent.is_object())
        parent.erase(at.back());
      else
        parent.erase(static_cast<std::size_t>(std::stoi(at.back())));
      attempt(document);
    });
  }
  CHECK(rejected > 1000);
  CHECK(read > 100);
}

TEST_CASE("a tokenizer.json cut off is an error, one with changed bytes is read or rejected") {
  const std::string whole = bytes_of(reference("qwen2.json"));
  const TemporaryFile file("");
  for (std::size_t size = 0; size + 2 < whole.size(); size += 1 + size / 50) {
    CASE(size);
    file.write(whole.substr(0, size));
    const std::string message = error_of([&] { read_tokenizer_json(file.path); });
    CHECK(message.find("no JSON from byte") != std::string::npos);
  }
  std::mt19937 random(13);
  for (int trial = 0; trial < 1000; ++trial) {
    CASE(trial);
    std::string changed = whole;
    for (int k = 0; k <= trial % 3; ++k)
      changed[random() % (trial % 2 == 0 ? 3000 : whole.size())] = static_cast<char>(random());
    file.write(changed);
    error_of([&] { read_tokenizer_json(file.path)->encode("Hi <|im_end|> 123 e\u0301"); });
  }
  CHECK_NAMES(error_of([] { read_tokenizer_json(reference("no.json")); }), "no such file");
  file.write("[]");
  CHECK_NAMES(error_of([&] { read_tokenizer_json(file.path); }), "the top: a list; an object");
  file.write(std::string(100'000, '['));
  CHECK_NAMES(error_of([&] { read_tokenizer_json(file.path); }), "nested more than 64 deep");
}

TEST_CASE("an expression that would search for ages ends with an error") {
  json document = json_of("llama3.json");
  document["/pre_tokenizer/pretokenizers/0/pattern/Regex"_json_pointer] = "(a+)+$";
  const TemporaryFile file(document.dump());
  const auto tokenizer = read_tokenizer_json(file.path);
  const auto begin = std::chrono::steady_clock::now();
  const std::string message = error_of([&] { tokenizer->encode(std::string(80, 'a') + "b"); });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  CHECK_NAMES(message, "regular expression");
  CHECK_NAMES(message, "TIME_OUT");
  CHECK(seconds.count() < 60);
  CHECK(error_of([&] { tokenizer->encode(std::string(80, 'a')); }).empty());
}

}  // namespace
