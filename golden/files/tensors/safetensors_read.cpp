#include <algorithm>
#include <filesystem>

#include "axelram/files/mapped_file.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/safetensors.hpp"
#include "disk/input_file.hpp"
#include "safetensors_header.hpp"

namespace axelram::files {
namespace {

constexpr std::size_t kLengthBytes = 8;

/// Checks that each byte of the data belongs to exactly one tensor.
void check_layout(const std::vector<TensorEntry>& tensors, std::uint64_t data_bytes,
                  const std::string& origin) {
  std::uint64_t next = 0;
  for (const TensorEntry& tensor : tensors) {
    const auto fail = [&](const std::string& what) {
      throw InputError(origin + ": tensor " + printable(tensor.name) + ": " + what);
    };
    const std::string offsets =
        "data_offsets [" + std::to_string(tensor.begin) + ", " + std::to_string(tensor.end) + "]";
    std::uint64_t bytes = 0;
    if (!bytes_of(tensor.shape, tensor.type, bytes))
      fail("shape " + printable(to_string(tensor.shape)) + " has more bytes than fit 64 bits");
    if (tensor.end < tensor.begin) fail(offsets + " end before they begin");
    if (tensor.end - tensor.begin != bytes)
      fail(offsets + " contradict dtype " + name_of(tensor.type) + " and shape " +
           printable(to_string(tensor.shape)) + ", which need " + std::to_string(bytes) + " bytes");
    if (tensor.begin != next)
      fail(offsets + (tensor.begin < next ? " overlap" : " leave a hole after") +
           " the tensor before; they must begin at " + std::to_string(next));
    if (tensor.end > data_bytes)
      fail(offsets + " exceed the file; its data are " + std::to_string(data_bytes) +
           " bytes: was it cut off?");
    next = tensor.end;
  }
  if (next != data_bytes)
    throw InputError(origin + ": " + std::to_string(data_bytes - next) +
                     " bytes after the last tensor belong to none; the file must end with it");
}

}  // namespace

Safetensors Safetensors::read(const std::string& path) {
  // The header decides, before any data is read, whether the file is what it should be.
  std::error_code error;  // read_file reports it
  if (std::filesystem::is_regular_file(path, error) &&
      std::filesystem::file_size(path, error) > 0 && !error)
    map(path);
  return parse(read_file(path, 0), printable(path));
}

Safetensors Safetensors::parse(std::vector<std::uint8_t> file, const std::string& origin) {
  const auto kept = std::make_shared<const std::vector<std::uint8_t>>(std::move(file));
  Safetensors result = index(kept->data(), kept->size(), origin);
  result.file_ = kept;
  return result;
}

Safetensors Safetensors::map(const std::string& path) {
  const auto kept = std::make_shared<const MappedFile>(path);
  Safetensors result = index(kept->data(), kept->size(), printable(path));
  result.file_ = kept;
  return result;
}

Safetensors Safetensors::index(const std::uint8_t* file, std::size_t bytes,
                               const std::string& origin) {
  if (bytes < kLengthBytes)
    throw InputError(origin + ": " + std::to_string(bytes) +
                     " bytes are too few for a safetensors file");
  std::uint64_t header_bytes = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    header_bytes |= static_cast<std::uint64_t>(file[i]) << (8 * i);
  if (header_bytes > max_header_bytes || header_bytes > bytes - kLengthBytes)
    throw InputError(origin + ": its first 8 bytes announce a header of " +
                     std::to_string(header_bytes) + " bytes, the file has " +
                     std::to_string(bytes) + "; is it a safetensors file?");

  Safetensors result;
  result.origin_ = origin;
  const std::uint8_t* header = file + kLengthBytes;
  const std::uint8_t* data = header + header_bytes;
  const std::uint64_t data_bytes = bytes - kLengthBytes - header_bytes;

  SafetensorsHeader parsed = parse_safetensors_header(
      {reinterpret_cast<const char*>(header), static_cast<std::size_t>(header_bytes)}, origin);
  std::stable_sort(parsed.tensors.begin(), parsed.tensors.end(), [](const auto& a, const auto& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  check_layout(parsed.tensors, data_bytes, origin);

  result.metadata_ = std::move(parsed.metadata);
  for (TensorEntry& entry : parsed.tensors) {
    result.position_.emplace(entry.name, result.tensors_.size());
    result.tensors_.push_back({std::move(entry.name), entry.type, std::move(entry.shape),
                               data + entry.begin,
                               static_cast<std::size_t>(entry.end - entry.begin)});
  }
  return result;
}

const Tensor* Safetensors::find(std::string_view name) const {
  const auto place = position_.find(name);
  return place == position_.end() ? nullptr : &tensors_[place->second];
}

const Tensor& Safetensors::at(std::string_view name) const {
  if (const Tensor* tensor = find(name)) return *tensor;
  std::string held;
  for (const Tensor& tensor : tensors_) held += (held.empty() ? "" : ", ") + tensor.name;
  throw InputError(origin_ + ": no tensor " + in_quotes(name) + "; the file holds " +
                   (held.empty() ? "none" : printable(held)));
}

const Tensor& Safetensors::at(std::string_view name, DataType type, std::size_t rank) const {
  const Tensor& tensor = at(name);
  const std::string where = origin_ + ": tensor " + printable(name) + ": ";
  if (tensor.type != type)
    throw InputError(where + "dtype is " + name_of(tensor.type) + "; it must be " + name_of(type));
  if (tensor.shape.size() != rank)
    throw InputError(where + "shape is " + printable(to_string(tensor.shape)) + "; it must have " +
                     std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions"));
  return tensor;
}

const std::string& Safetensors::metadata_at(const std::string& key) const {
  const auto place = metadata_.find(key);
  if (place == metadata_.end())
    throw InputError(origin_ + ": no metadata " + in_quotes(key) + "; the file must state it");
  return place->second;
}

}  // namespace axelram::files
