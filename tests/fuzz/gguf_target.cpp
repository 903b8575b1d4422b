#include <cmath>
#include <cstdint>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/gguf/gguf.hpp"
#include "axelram/tokens/tokenizer.hpp"
#include "axelram/weights/type.hpp"
#include "require.hpp"
#include "rewritten_file.hpp"

using namespace axelram;

namespace {

/// True if `use` succeeds, false if it throws an InputError on one line.
template <class Use>
bool succeeds(Use&& use) {
  try {
    use();
    return true;
  } catch (const files::InputError& error) {
    const std::string message = error.what();
    require(message.rfind("f: ", 0) == 0 || message.rfind("text: ", 0) == 0, message);
    require(message.find_first_of("\n\r") == std::string::npos, message);
    require(message.size() < 1500, message);
    return false;
  }
}

/// Each value has exactly one type; whole numbers are numbers, too.
void check_value(const gguf::Gguf& file, const std::string& key) {
  int types = 0;
  bool list = false;
  require(succeeds([&] { list = file.is_list(key); }), key);
  const bool whole = succeeds([&] { file.integer(key); });
  const bool number = succeeds([&] { require(std::isfinite(file.real(key)), key); });
  require(number || !whole, key);
  types += number ? 1 : 0;
  types += succeeds([&] { file.flag(key); }) ? 1 : 0;
  types += succeeds([&] { file.text(key); }) ? 1 : 0;
  require(!list || types == 0, key);
  types += succeeds([&] { file.integers(key); }) ? 1 : 0;
  types += succeeds([&] { file.reals(key); }) ? 1 : 0;
  types += succeeds([&] { file.texts(key); }) ? 1 : 0;
  require(types <= 1, key);
}

/// The first row lies in the file, and its blocks can be expanded.
void check_tensor(const gguf::Gguf& file, const gguf::Tensor& tensor) {
  require(file.find(tensor.name) == &tensor, tensor.name);
  const std::size_t row = tensor.shape.back();
  std::vector<float> values(row);
  weights::to_floats(tensor.type, tensor.data, row, values.data());
  require(weights::bytes_of(tensor.type, row) <= tensor.bytes, tensor.name);
}

/// Ids lie in the vocabulary, and the tokenizer's tokenizer.json has the same.
void check_tokenizer(const gguf::Gguf& file, const tokens::Tokenizer& tokenizer) {
  static const RewrittenFile written;
  const std::string json = tokens::tokenizer_json(file);
  written.write(json.data(), json.size());
  const auto again = tokens::read_tokenizer_json(written.path);
  require(again->vocabulary() == tokenizer.vocabulary(), "the vocabulary of tokenizer.json");
  succeeds([&] { tokens::tokenizer_config_json(file); });
  succeeds([&] {
    const std::string text = "It's <|x|> 12\r\n\n  e\u0301\u00a0\U0001f600  abab";
    const std::vector<std::int32_t> ids = tokenizer.encode(text);
    for (const std::int32_t id : ids) {
      require(id >= 0 && static_cast<std::size_t>(id) < tokenizer.vocabulary(), "an id");
      tokenizer.piece(id);
    }
    require(again->encode(text) == ids, "the ids of tokenizer.json");
  });
  require(tokenizer.encode("").empty(), "no ids for no text");
}

}  // namespace

/// Any bytes give a GGUF file whose values, tensors and tokenizer can be used, or an InputError on
/// one line that names the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<gguf::Gguf> files;
  if (!succeeds([&] { files.push_back(gguf::Gguf::parse({data, data + size}, "f")); })) return 0;
  const gguf::Gguf& file = files.front();
  for (const std::string& key : file.keys()) check_value(file, key);
  for (const gguf::Tensor& tensor : file.tensors()) check_tensor(file, tensor);
  std::unique_ptr<tokens::Tokenizer> tokenizer;
  if (succeeds([&] { tokenizer = tokens::read_gguf(file); })) check_tokenizer(file, *tokenizer);
  return 0;
}
