#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/tokens/tokenizer.hpp"

namespace axelram::tokens {
namespace {

[[noreturn]] void fail_without_icu(const std::string& origin, const char* what) {
  throw files::EnvironmentError(
      origin + ": " + what +
      " needs Unicode's tables, and this program was built without ICU; give the text as token "
      "ids in a safetensors file, or build with ICU");
}

}  // namespace

std::unique_ptr<Tokenizer> read_tokenizer_json(const std::string& path) {
  fail_without_icu(files::printable(path), "a tokenizer.json");
}

std::unique_ptr<Tokenizer> tokenizer_json_of(std::string_view, const std::string& path) {
  return read_tokenizer_json(path);
}

std::unique_ptr<Tokenizer> read_gguf(const gguf::Gguf& file) {
  fail_without_icu(file.origin(), "the tokenizer of a GGUF file");
}

}  // namespace axelram::tokens
