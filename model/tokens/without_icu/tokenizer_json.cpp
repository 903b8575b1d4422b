#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/tokens/tokenizer.hpp"

namespace axelram::tokens {

std::unique_ptr<Tokenizer> read_tokenizer_json(const std::string& path) {
  throw files::EnvironmentError(
      files::printable(path) +
      ": a tokenizer.json needs Unicode's tables, and this program was built without ICU; give "
      "the text as token ids in a safetensors file, or build with ICU");
}

}  // namespace axelram::tokens
