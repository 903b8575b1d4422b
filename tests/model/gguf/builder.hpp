#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "axelram/gguf/gguf.hpp"

namespace test {

/// Writes a GGUF file byte by byte; what a field says need not be true.
class GgufBuilder {
 public:
  using Type = axelram::gguf::ValueType;

  std::uint32_t version = 3;
  std::uint64_t tensors_said = 0, keys_said = 0;  ///< counted by the functions below
  std::uint64_t alignment = 32;

  static std::string bytes(std::uint64_t value, std::size_t count) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i) result += static_cast<char>(value >> (8 * i) & 0xFF);
    return result;
  }
  static std::string text(std::string_view value) {
    return bytes(value.size(), 8) + std::string(value);
  }

  /// A value of any type by its bytes.
  GgufBuilder& raw(std::string_view key, std::uint32_t type, const std::string& value) {
    metadata_ += text(key) + bytes(type, 4) + value;
    ++keys_said;
    return *this;
  }
  GgufBuilder& raw(std::string_view key, Type type, const std::string& value) {
    return raw(key, static_cast<std::uint32_t>(type), value);
  }
  GgufBuilder& u32(std::string_view key, std::uint32_t value) {
    return raw(key, Type::u32, bytes(value, 4));
  }
  GgufBuilder& put_text(std::string_view key, std::string_view value) {
    return raw(key, Type::text, text(value));
  }
  GgufBuilder& texts(std::string_view key, const std::vector<std::string>& values) {
    std::string list = bytes(static_cast<std::uint32_t>(Type::text), 4) + bytes(values.size(), 8);
    for (const std::string& value : values) list += text(value);
    return raw(key, Type::list, list);
  }

  /// shape: innermost dimension first, as the file has it.
  GgufBuilder& tensor(std::string_view name, const std::vector<std::uint64_t>& shape,
                      std::uint32_t type, std::uint64_t offset) {
    tensors_ += text(name) + bytes(shape.size(), 4);
    for (const std::uint64_t extent : shape) tensors_ += bytes(extent, 8);
    tensors_ += bytes(type, 4) + bytes(offset, 8);
    ++tensors_said;
    return *this;
  }

  std::vector<std::uint8_t> file(const std::string& data = "") const {
    std::string all = "GGUF" + bytes(version, 4) + bytes(tensors_said, 8) + bytes(keys_said, 8) +
                      metadata_ + tensors_;
    if (!data.empty()) all.resize((all.size() + alignment - 1) / alignment * alignment);
    all += data;
    return {all.begin(), all.end()};
  }

 private:
  std::string metadata_, tensors_;
};

}  // namespace test
