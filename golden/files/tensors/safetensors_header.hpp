#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "axelram/files/safetensors.hpp"

namespace axelram::files {

/// One tensor of the header, not yet compared with the data.
struct TensorEntry {
  std::string name;
  DataType type = DataType::u8;
  Shape shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  Metadata metadata;
  std::vector<TensorEntry> tensors;  ///< in the order of the header
};

/// Parses the JSON of a header: syntax, known and unique keys, types. Throws InputError.
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& origin);

/// False if the product of the shape and the element size does not fit 64 bits.
bool bytes_of(const Shape& shape, DataType type, std::uint64_t& bytes);

}  // namespace axelram::files
