#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "axelram/gguf/gguf.hpp"
#include "check.hpp"

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
    replace(key, number(ValueType::text) + written(text));
  }
  void set(const std::string& key, const char* text) { set(key, std::string(text)); }
  void set(const std::string& key, std::uint32_t value) {
    replace(key, number(ValueType::u32) + raw(value));
  }
  void set(const std::string& key, bool value) {
    replace(key, number(ValueType::boolean) + std::string(1, value ? '\1' : '\0'));
  }
  void set(const std::string& key, const std::vector<std::int32_t>& list) {
    replace(key, list_of(ValueType::i32, list));
  }
  void set(const std::string& key, const std::vector<float>& list) {
    replace(key, list_of(ValueType::f32, list));
  }
  std::vector<std::string>& texts(const std::string& key) {
    values_.erase(key);
    return texts_[key];
  }

  std::vector<std::uint8_t> bytes() const {
    std::string all = "GGUF" + raw(std::uint32_t{3}) + raw(std::uint64_t{0}) +
                      raw(std::uint64_t{values_.size() + texts_.size()});
    for (const auto& [key, value] : values_) all += written(key) + value;
    for (const auto& [key, list] : texts_) {
      all += written(key) + number(ValueType::list) + number(ValueType::text) +
             raw(std::uint64_t{list.size()});
      for (const std::string& text : list) all += written(text);
    }
    return {all.begin(), all.end()};
  }

 private:
  template <class T>
  static std::string raw(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  static std::string number(ValueType type) { return raw(static_cast<std::uint32_t>(type)); }
  static std::string written(const std::string& text) {
    return raw(std::uint64_t{text.size()}) + text;
  }
  template <class T>
  static std::string list_of(ValueType type, const std::vector<T>& list) {
    std::string all = number(ValueType::list) + number(type) + raw(std::uint64_t{list.size()});
    for (const T value : list) all += raw(value);
    return all;
  }
  static std::vector<std::string> as_strings(const std::vector<std::string_view>& views) {
    return {views.begin(), views.end()};
  }
  static std::vector<std::int32_t> narrow(const std::vector<std::int64_t>& values) {
    return {values.begin(), values.end()};
  }
  void replace(const std::string& key, const std::string& value) {
    texts_.erase(key);
    values_[key] = value;
  }

  std::map<std::string, std::string> values_;  ///< with their types, as in the file
  std::map<std::string, std::vector<std::string>> texts_;
};

}  // namespace test
