#include "axelram/tokens/text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include "axelram/files/mapped_file.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/safetensors.hpp"

namespace axelram::tokens {
namespace {

using files::InputError;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

TokenText read_tokens(const std::string& path, const TextOptions& options) {
  const std::string where = files::printable(path) + ": ";
  if (options.bos || options.skip != 0)
    throw InputError(where + "ids as they are: a BOS, or bytes to skip, go with text alone");
  const auto file = files::Safetensors::read(path);
  const files::Tensor& tokens = file.at("tokens");
  if (tokens.type != files::DataType::i32 || tokens.shape.empty() || tokens.shape.size() > 2)
    throw InputError(where + "tensor tokens: " + files::name_of(tokens.type) + " " +
                     files::to_string(tokens.shape) + "; it must be I32 [n] or [sequences, n]");
  TokenText text;
  text.ids = tokens.values<std::int32_t>();
  text.separate = tokens.shape.size() == 2;
  text.rows = text.separate ? tokens.shape[0] : 1;
  text.columns = tokens.shape.back();
  return text;
}

TokenText encode(const std::string& path, const Tokenizer& tokenizer, const TextOptions& options) {
  const files::MappedFile file(path);
  if (options.skip > file.size())
    throw InputError(files::printable(path) + ": " + std::to_string(file.size()) +
                     " bytes; fewer than the " + std::to_string(options.skip) + " to skip");
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  std::size_t bytes = std::string_view::npos;
  if (const auto ids = options.tokens ? options.tokens : options.enough)
    bytes = tokenizer.bytes_for(*ids).value_or(bytes);
  TokenText text;
  try {
    Encoded encoded = tokenizer.encode_with_bytes(all.substr(options.skip, bytes));
    text.ids = std::move(encoded.ids);
    text.bytes = std::move(encoded.bytes);
  } catch (const InputError& error) {
    throw InputError(files::printable(path) + ", from byte " + std::to_string(options.skip) +
                     " on: " + error.what());
  }
  if (options.bos) {
    if (!tokenizer.bos())
      throw InputError(files::printable(path) + ": the tokenizer has no BOS; leave --bos out");
    text.ids.insert(text.ids.begin(), *tokenizer.bos());
    text.bytes.insert(text.bytes.begin(), 0);
  }
  text.columns = text.ids.size();
  return text;
}

void shorten(TokenText* text, std::size_t tokens, const std::string& where) {
  if (text->separate)
    throw InputError(where +
                     "sequences of their own are used whole; leave the number of tokens out");
  if (tokens > text->columns)
    throw InputError(where + std::to_string(text->columns) + " tokens; fewer than the " +
                     std::to_string(tokens) + " asked for");
  text->ids.resize(tokens);
  if (!text->bytes.empty()) text->bytes.resize(tokens);
  text->columns = tokens;
}

}  // namespace

bool holds_ids(const std::string& path) {
  if (ends_with(path, ".safetensors")) return true;
  // A safetensors file begins with the size of its header, 8 bytes, and a brace. Eight characters
  // of a text are no such number: it would be beyond the end of every file.
  std::ifstream file(path, std::ios::binary);
  std::array<char, 9> head{};
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(path, none);
  if (none || !file.read(head.data(), head.size()) || head.back() != '{') return false;
  std::uint64_t header = 0;
  for (int i = 7; i >= 0; --i) header = header << 8 | static_cast<unsigned char>(head[i]);
  return header >= 2 && header <= size - 8;
}

std::unique_ptr<Tokenizer> choose_tokenizer(const std::string& model, std::size_t vocabulary,
                                            const std::string& choice) {
  if (choice == "byte") return byte_level();
  if (ends_with(choice, ".json")) return read_tokenizer_json(choice);
  if (ends_with(choice, ".gguf") || gguf::Gguf::is_gguf(choice))
    return read_gguf(gguf::Gguf::map(choice));
  if (!choice.empty()) return read_llama2c(choice, vocabulary);
  if (gguf::Gguf::is_gguf(model)) return read_gguf(gguf::Gguf::map(model));
  const std::string beside = model + "/tokenizer.json";
  std::error_code none;
  if (std::filesystem::exists(beside, none)) return read_tokenizer_json(beside);
  if (vocabulary == 256) return byte_level();
  throw InputError(files::printable(model) +
                   ": no tokenizer.json lies in it and its vocabulary is " +
                   std::to_string(vocabulary) +
                   "; name a tokenizer: a tokenizer.json, a GGUF file, a llama2.c tokenizer "
                   "file, or byte");
}

TokenText read_text(const std::string& path, const Tokenizer& tokenizer,
                    const TextOptions& options) {
  const std::string where = files::printable(path) + ": ";
  TokenText text = holds_ids(path) ? read_tokens(path, options) : encode(path, tokenizer, options);
  if (options.tokens) shorten(&text, *options.tokens, where);
  if (text.columns < options.least || text.rows < 1)
    throw InputError(where + std::to_string(text.ids.size()) +
                     (options.least < 2
                          ? " tokens; at least one is needed"
                          : " tokens; at least two are needed, of which the second is predicted"));
  for (std::size_t i = 0; i < text.ids.size(); ++i)
    if (text.ids[i] < 0 || static_cast<std::size_t>(text.ids[i]) >= tokenizer.vocabulary())
      throw InputError(where + "token " + std::to_string(i) + " is " + std::to_string(text.ids[i]) +
                       "; the vocabulary has " + std::to_string(tokenizer.vocabulary()) + " ids");
  return text;
}

}  // namespace axelram::tokens
