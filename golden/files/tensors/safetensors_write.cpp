#include <bit>
#include <nlohmann/json.hpp>
#include <set>

#include "axelram/files/atomic_file.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/safetensors.hpp"
#include "safetensors_header.hpp"

namespace axelram::files {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

std::string json_text(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    throw InputError(in_quotes(text) + ": not UTF-8; a safetensors file holds UTF-8 texts alone");
  }
}

void check(const Tensor& tensor, std::set<std::string>& names) {
  std::uint64_t bytes = 0;
  if (!bytes_of(tensor.shape, tensor.type, bytes) || bytes != tensor.bytes)
    throw std::logic_error("tensor " + tensor.name + " does not fill its shape");
  if (tensor.name == "__metadata__" || !names.insert(tensor.name).second)
    throw std::logic_error("tensor name " + tensor.name + " is taken");
}

}  // namespace

std::string safetensors_header(const std::vector<Tensor>& tensors, const Metadata& metadata) {
  std::string json = "{";
  if (!metadata.empty()) {
    json += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata)
      json += (json.back() == '{' ? "" : ",") + json_text(key) + ":" + json_text(value);
    json += "}";
  }
  std::set<std::string> names;
  std::uint64_t begin = 0;
  for (const Tensor& tensor : tensors) {
    check(tensor, names);
    const std::uint64_t end = begin + tensor.bytes;
    json += (json.back() == '{' ? "" : ",") + json_text(tensor.name) + ":{\"dtype\":\"" +
            name_of(tensor.type) + "\",\"shape\":[";
    for (const std::uint64_t extent : tensor.shape)
      json += (json.back() == '[' ? "" : ",") + std::to_string(extent);
    json += "],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(end) + "]}";
    begin = end;
  }
  json += "}";
  json.resize((json.size() + 7) / 8 * 8, ' ');

  std::string header;
  for (int i = 0; i < 8; ++i) header += static_cast<char>(json.size() >> (8 * i) & 0xff);
  return header + json;
}

void write_safetensors(const std::string& path, const std::vector<Tensor>& tensors,
                       const Metadata& metadata, bool force) {
  const std::string header = safetensors_header(tensors, metadata);
  AtomicFile file(path, force);
  file.write(header);
  for (const Tensor& tensor : tensors) file.write(tensor.data, tensor.bytes);
  file.commit();
}

}  // namespace axelram::files
