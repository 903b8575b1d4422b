#pragma once

#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/tokens/tokenizer.hpp"
#include "files/support.hpp"

namespace test {

using axelram::tokens::Tokenizer;
using Ids = std::vector<std::int32_t>;

inline std::string reference(const std::string& name) {
  return std::string(AXELRAM_SOURCE) + "/tests/model/tokens/reference/" + name;
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  REQUIRE_MESSAGE(stream.good(), path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline nlohmann::json json_of(const std::string& name) {
  return nlohmann::json::parse(bytes_of(reference(name)));
}

/// A file of the given content while the test runs.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& content) { write(content); }
  void write(const std::string& content) const { put(path, content); }

  TemporaryFolder folder;
  std::string path = folder / "file";
};

inline std::string pieces(const Tokenizer& tokenizer, const Ids& ids) {
  std::string text;
  for (const std::int32_t id : ids) text += tokenizer.piece(id);
  return text;
}

/// The message of the InputError that `action` throws, one line; "" if it throws none.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const axelram::files::InputError& error) {
    const std::string message = error.what();
    CHECK(message.find_first_of("\n\r") == std::string::npos);
    CHECK(message.find(": ") != std::string::npos);
    return message;
  }
  return {};
}

}  // namespace test
