#include "axelram/tokens/text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include "axelram/files/file_bytes.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/safetensors.hpp"

namespace axelram::tokens {
namespace {

using files::InputError;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

TokenText tokens_of(const files::Safetensors& file, const std::string& path,
                    const TextOptions& options) {
  const std::string where = files::printable(path) + ": ";
  if (options.bos || options.skip != 0)
    throw InputError(where + "ids as they are: a BOS, or bytes to skip, go with text alone");
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

TokenText encode(std::string_view all, const std::string& path, const Tokenizer& tokenizer,
                 const TextOptions& options) {
  if (options.skip > all.size())
    throw InputError(files::printable(path) + ": " + std::to_string(all.size()) +
                     " bytes; fewer than the " + std::to_string(options.skip) + " to skip");
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

/// Bytes at the start of a safetensors file: the size of its header, and a brace. Eight characters
/// of a text are no such number: it would be beyond the end of every file.
constexpr std::size_t kHead = 9;

bool begins_like_ids(std::string_view head, std::uintmax_t size) {
  if (head.size() < kHead || head[kHead - 1] != '{') return false;
  std::uint64_t header = 0;
  for (std::size_t i = kHead - 1; i-- > 0;)
    header = header << 8 | static_cast<unsigned char>(head[i]);
  return header >= 2 && header <= size - 8;
}

/// The ids or the text in a file or a pipe, which can be read once.
TokenText ids_of(const std::string& path, const Tokenizer& tokenizer, const TextOptions& options) {
  if (holds_ids(path)) return tokens_of(files::Safetensors::read(path), path, options);
  const files::FileBytes file(path);
  if (begins_like_ids(file.text(), file.size()))
    return tokens_of(
        files::Safetensors::parse({file.data(), file.data() + file.size()}, files::printable(path)),
        path, options);
  return encode(file.text(), path, tokenizer, options);
}

/// `{` behind blanks and a byte order mark. A llama2.c file may begin with the same byte, as the
/// lowest of a number of four.
bool begins_like_json(std::string_view text) {
  text = files::without_byte_order_mark(text);
  const std::size_t brace = text.find_first_not_of(" \t\r\n");
  return brace < text.size() && text[brace] == '{' &&
         (brace + 1 == text.size() || text[brace + 1] != '\0');
}

/// A tokenizer of any kind, told by the name or by the content: a pipe has no name that says it.
std::unique_ptr<Tokenizer> read_tokenizer(const std::string& path, std::size_t vocabulary) {
  if (gguf::Gguf::is_gguf(path)) return read_gguf(gguf::Gguf::map(path));
  const files::FileBytes file(path);
  const std::string_view bytes = file.text();
  if (ends_with(path, ".json") || begins_like_json(bytes)) return tokenizer_json_of(bytes, path);
  if (ends_with(path, ".gguf") || bytes.substr(0, 4) == "GGUF")
    return read_gguf(
        gguf::Gguf::parse({file.data(), file.data() + file.size()}, files::printable(path)));
  return llama2c_of(bytes, path, vocabulary);
}

/// Whether a GGUF file has a tokenizer, complete or not. llama.cpp writes "none" or "no_vocab" for
/// a model without one.
bool holds_tokenizer(const gguf::Gguf& file) {
  const std::string model = "tokenizer.ggml.model";
  if (file.has(model)) return file.text(model) != "none" && file.text(model) != "no_vocab";
  const auto keys = file.keys();
  return std::any_of(keys.begin(), keys.end(),
                     [](const std::string& key) { return key.starts_with("tokenizer."); });
}

/// The tokenizer that comes with a model, or null.
std::unique_ptr<Tokenizer> tokenizer_of(const std::string& model) {
  if (gguf::Gguf::is_gguf(model)) {
    const gguf::Gguf file = gguf::Gguf::map(model);
    return holds_tokenizer(file) ? read_gguf(file) : nullptr;
  }
  const std::string beside = model + "/tokenizer.json";
  std::error_code none;
  return std::filesystem::exists(beside, none) ? read_tokenizer_json(beside) : nullptr;
}

}  // namespace

bool holds_ids(const std::string& path) {
  if (ends_with(path, ".safetensors")) return true;
  std::error_code none;
  // Reading from a pipe would take away what it holds.
  if (!std::filesystem::is_regular_file(path, none)) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, kHead> head{};
  const std::uintmax_t size = std::filesystem::file_size(path, none);
  return !none && file.read(head.data(), head.size()) &&
         begins_like_ids({head.data(), head.size()}, size);
}

std::unique_ptr<Tokenizer> choose_tokenizer(const std::string& model, std::size_t vocabulary,
                                            const std::string& choice) {
  if (choice == "byte") return byte_level();
  if (!choice.empty()) return read_tokenizer(choice, vocabulary);
  if (std::unique_ptr<Tokenizer> own = tokenizer_of(model)) return own;
  if (vocabulary == 256) return byte_level();
  throw InputError(files::printable(model) + ": no tokenizer lies in it and its vocabulary is " +
                   std::to_string(vocabulary) +
                   "; name one with --tokenizer: a tokenizer.json, a GGUF file, a llama2.c "
                   "tokenizer file, or byte");
}

TokenText read_text(const std::string& path, const Tokenizer& tokenizer,
                    const TextOptions& options) {
  const std::string where = files::printable(path) + ": ";
  TokenText text = ids_of(path, tokenizer, options);
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
