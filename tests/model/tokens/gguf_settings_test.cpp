#include <nlohmann/json.hpp>

#include "gguf_file.hpp"
#include "support.hpp"

namespace {

using namespace axelram;
using namespace axelram::tokens;
using namespace test;

const std::string kRoles = "tokenizer.ggml.";

nlohmann::json settings_of(const GgufFile& file) {
  return nlohmann::json::parse(tokenizer_config_json(Gguf::parse(file.bytes(), "changed.gguf")));
}

TEST_CASE("tokenizer_config.json: the class that changes nothing, and special tokens by role") {
  int named = 0;
  for (const char* kind : {"gpt-2", "smollm", "llama-bpe", "qwen2", "llama", "gemma"}) {
    CASE(kind);
    const Gguf original = Gguf::map(reference(std::string(kind) + ".gguf"));
    const auto settings = settings_of(GgufFile(original));
    CHECK(settings["tokenizer_class"] == "PreTrainedTokenizerFast");
    CHECK_FALSE(settings.contains("chat_template"));
    const auto types = original.integers(kRoles + "token_type");
    const auto texts = original.texts(kRoles + "tokens");
    for (const auto& [role, name] : {std::pair{"bos", "bos_token"}, {"eos", "eos_token"}}) {
      CASE(role, name);
      const std::string key = kRoles + role + "_token_id";
      const auto id =
          original.has(key) ? static_cast<std::size_t>(original.integer(key)) : types.size();
      const bool control = id < types.size() && types[id] == 3;
      REQUIRE(settings.contains(name) == control);
      if (control) CHECK(settings[name] == texts[id]);
      named += control ? 1 : 0;
    }
  }
  CHECK(named > 0);
}

TEST_CASE("tokenizer_config.json: an ordinary piece with a role stays ordinary") {
  GgufFile file(Gguf::map(reference("gpt-2.gguf")));
  file.set(kRoles + "eos_token_id", std::uint32_t{0});
  CHECK_FALSE(settings_of(file).contains("eos_token"));
}

TEST_CASE("tokenizer_config.json: the chat template") {
  GgufFile file(Gguf::map(reference("gpt-2.gguf")));
  file.set("tokenizer.chat_template", "{% for m in messages %}\"ä\"\n{% endfor %}");
  CHECK(settings_of(file)["chat_template"] == "{% for m in messages %}\"ä\"\n{% endfor %}");
  file.set("tokenizer.chat_template", "\xff");
  CHECK(error_of([&] { settings_of(file); }).find("chat_template is ") != std::string::npos);
  file.set("tokenizer.chat_template", std::uint32_t{1});
  CHECK(error_of([&] { settings_of(file); }).find("chat_template") != std::string::npos);
}

}  // namespace
