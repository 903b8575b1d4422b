#include <cstdint>

#include "axelram/files/errors.hpp"
#include "axelram/tokens/tokenizer.hpp"
#include "require.hpp"
#include "rewritten_file.hpp"

using namespace axelram;

namespace {

constexpr std::size_t kVocabulary = 294;  // of tests/model/tokens/reference/tiny.bin

/// Calls `use`, which may throw only an InputError on one line.
template <class Use>
void attempt(Use&& use) {
  try {
    use();
  } catch (const files::InputError& error) {
    const std::string message = error.what();
    require(message.find_first_of("\n\r") == std::string::npos, message);
    require(message.find(": ") != std::string::npos, message);
    require(message.size() < 1500, message);
  }
}

void check(const tokens::Tokenizer& tokenizer) {
  attempt([&] {
    std::string text;
    for (const std::int32_t id :
         tokenizer.encode("It's <|x|> 12\r\n\n  e\u0301\u00a0\U0001f600  ")) {
      require(id >= 0 && static_cast<std::size_t>(id) < tokenizer.vocabulary(), "an id");
      text += tokenizer.piece(id);
    }
  });
  require(tokenizer.encode("").empty(), "no ids for no text");
}

}  // namespace

/// Any bytes give a tokenizer whose ids lie in its vocabulary, or an InputError on one line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const RewrittenFile file;
  file.write(data, size);
  attempt([&] { check(*tokens::read_tokenizer_json(file.path)); });
  attempt([&] { check(*tokens::read_llama2c(file.path, kVocabulary)); });
  return 0;
}
