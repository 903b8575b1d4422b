#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "axelram/gguf/gguf.hpp"
#include "gguf/builder.hpp"

namespace test {

using axelram::gguf::Gguf;
using axelram::gguf::ValueType;

/// The metadata of a GGUF file, to be changed and written again.
class GgufFile {
 public:
  /// Copies the keys tokenizer.ggml.* of a file of make_gguf.py.
  explicit GgufFile(const Gguf& file) {
    for (const std::string& key : file.keys()) {
      if (key.find("ggml.") == std::string::npos) continue;
      if (key.find("tokens") != std::string::npos || key.find("merges") != std::string::npos)
        texts(key) = as_strings(file.texts(key));
      else if (key.find("scores") != std::string::npos)
        set(key, file.reals(key));
      else if (key.find("token_type") != std::string::npos)
        set(key, narrow(file.integers(key)));
      else if (key.find("add_") != std::string::npos)
        set(key, file.flag(key));
      else if (key.find("_id") != std::string::npos)
        set(key, static_cast<std::uint32_t>(file.integer(key)));
      else
        set(key, std::string(file.text(key)));
    }
  }

  void erase(const std::string& key) {
    values_.erase(key);
    texts_.erase(key);
  }
  void set(const std::string& key, const std::string& text) {
    replace(key, ValueType::text, GgufBuilder::text(text));
  }
  void set(const std::string& key, const char* text) { set(key, std::string(text)); }
  void set(const std::string& key, std::uint32_t value) {
    replace(key, ValueType::u32, raw(value));
  }
  void set(const std::string& key, bool value) {
    replace(key, ValueType::boolean, GgufBuilder::bytes(value, 1));
  }
  void set(const std::string& key, const std::vector<std::int32_t>& list) {
    replace_list(key, ValueType::i32, list);
  }
  void set(const std::string& key, const std::vector<float>& list) {
    replace_list(key, ValueType::f32, list);
  }
  std::vector<std::string>& texts(const std::string& key) {
    values_.erase(key);
    return texts_[key];
  }

  std::vector<std::uint8_t> bytes() const {
    GgufBuilder file;
    for (const auto& [key, value] : values_) file.raw(key, value.first, value.second);
    for (const auto& [key, list] : texts_) file.texts(key, list);
    return file.file();
  }

 private:
  template <class T>
  static std::string raw(T value) {
    return GgufBuilder::bytes(std::bit_cast<std::uint32_t>(value), 4);
  }
  template <class T>
  void replace_list(const std::string& key, ValueType type, const std::vector<T>& list) {
    std::string all = raw(static_cast<std::uint32_t>(type)) + GgufBuilder::bytes(list.size(), 8);
    for (const T value : list) all += raw(value);
    replace(key, ValueType::list, all);
  }
  static std::vector<std::string> as_strings(const std::vector<std::string_view>& views) {
    return {views.begin(), views.end()};
  }
  static std::vector<std::int32_t> narrow(const std::vector<std::int64_t>& values) {
    return {values.begin(), values.end()};
  }
  void replace(const std::string& key, ValueType type, const std::string& value) {
    texts_.erase(key);
    values_[key] = {type, value};
  }

  std::map<std::string, std::pair<ValueType, std::string>> values_;  ///< bytes as in the file
  std::map<std::string, std::vector<std::string>> texts_;
};

}  // namespace test
