#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "checkpoints/support.hpp"
#include "gguf/builder.hpp"

namespace test {

/// The reference GGUF files, by their names without extension.
inline const std::vector<std::string> kArchitectures = {"llama", "qwen2", "qwen3", "gemma3",
                                                        "gpt2"};

/// A reference GGUF file in pieces, for a test to change.
struct ChangedGguf {
  struct Field {
    std::uint32_t type;
    std::string value;
  };
  struct Place {
    std::vector<std::uint64_t> shape;  ///< innermost dimension first
    std::uint32_t type;
    std::uint64_t offset;
  };
  std::map<std::string, Field> fields;
  std::map<std::string, Place> tensors;
  std::string data;

  explicit ChangedGguf(const std::string& name) {
    const std::string path =
        (project() / "tests/model/checkpoints/reference" / (name + ".gguf")).string();
    const std::string file = content(path);
    const auto whole = axelram::gguf::Gguf::map(path);
    std::size_t at = 8;
    const auto number = [&](std::size_t size) {
      std::uint64_t value = 0;
      std::memcpy(&value, &file[at], size);
      at += size;
      return value;
    };
    const auto text = [&] {
      const std::uint64_t size = number(8);
      at += size;
      return file.substr(at - size, size);
    };
    static constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    const std::uint64_t tensor_count = number(8), field_count = number(8);
    for (std::uint64_t i = 0; i < field_count; ++i) {
      CASE(i);
      const std::string key = text();
      const auto type = static_cast<std::uint32_t>(number(4));
      const std::size_t begin = at;
      std::uint64_t element = type, count = 1;
      if (type == 9) element = number(4), count = number(8);
      for (std::uint64_t k = 0; k < count; ++k) {
        CASE(k);
        if (element == 8)
          text();
        else
          at += kSizes[element];
      }
      fields[key] = {type, file.substr(begin, at - begin)};
    }
    for (std::uint64_t i = 0; i < tensor_count; ++i) {
      CASE(i);
      const std::string tensor = text();
      Place& place = tensors[tensor];
      place.shape.resize(number(4));
      for (std::uint64_t& extent : place.shape) extent = number(8);
      place.type = static_cast<std::uint32_t>(number(4));
      place.offset = number(8);
    }
    data = file.substr((at + 31) / 32 * 32);
  }

  void u32(const std::string& key, std::uint32_t value) {
    fields[key] = {4, GgufBuilder::bytes(value, 4)};
  }
  void f32(const std::string& key, float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, 4);
    fields[key] = {6, GgufBuilder::bytes(bits, 4)};
  }
  void put(const std::string& key, const std::string& value) {
    fields[key] = {8, GgufBuilder::text(value)};
  }
  void flag(const std::string& key, bool value) {
    fields[key] = {7, GgufBuilder::bytes(value ? 1 : 0, 1)};
  }
  /// A list of U32, or of flags.
  void list(const std::string& key, const std::vector<std::uint32_t>& values, bool flags = false) {
    std::string text = GgufBuilder::bytes(flags ? 7 : 4, 4) + GgufBuilder::bytes(values.size(), 8);
    for (const std::uint32_t value : values) {
      CASE(value);
      text += GgufBuilder::bytes(value, flags ? 1 : 4);
    }
    fields[key] = {9, text};
  }
  void rename(const std::string& from, const std::string& to) {
    tensors[to] = tensors.at(from);
    tensors.erase(from);
  }

  std::string bytes() const {
    GgufBuilder builder;
    for (const auto& [key, field] : fields) {
      CASE(key);
      builder.raw(key, field.type, field.value);
    }
    for (const auto& [name, place] : tensors) {
      CASE(name);
      builder.tensor(name, place.shape, place.type, place.offset);
    }
    const auto file = builder.file(data);
    return {file.begin(), file.end()};
  }

  axelram::checkpoints::Checkpoint read() const {
    const TemporaryFolder folder;
    test::put(folder / "model.gguf", bytes());
    return axelram::checkpoints::read_checkpoint(folder / "model.gguf");
  }
};

/// The message that rejects a changed file, without the name of the file.
inline std::string failure(const std::string& name,
                           const std::function<void(ChangedGguf&)>& change) {
  ChangedGguf file(name);
  change(file);
  const std::string line = message([&] { file.read(); });
  CHECK(!contains(line, "\n"));
  const std::size_t place = line.find("model.gguf: ");
  return place == std::string::npos ? line : line.substr(place + 12);
}

}  // namespace test
