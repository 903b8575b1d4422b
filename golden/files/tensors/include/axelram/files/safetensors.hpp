#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "axelram/files/errors.hpp"

namespace axelram::files {

enum class DataType {
  boolean,
  u8,
  i8,
  f8_e4m3,
  f8_e5m2,
  u16,
  i16,
  f16,
  bf16,
  u32,
  i32,
  f32,
  u64,
  i64,
  f64
};

std::size_t size_of(DataType type);  ///< bytes of one element: 1, 2, 4 or 8
const char* name_of(DataType type);  ///< as the format writes it: "BOOL", "U8", ..., "F64"

using Shape = std::vector<std::uint64_t>;
using Metadata = std::map<std::string, std::string>;

std::string to_string(const Shape& shape);  ///< "[256, 128]"

/// A view of a tensor: row-major, little-endian, possibly unaligned.
struct Tensor {
  std::string name;
  DataType type = DataType::u8;
  Shape shape;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;

  std::size_t elements() const { return bytes / size_of(type); }

  /// The raw elements, copied; sizeof(T) must be the element size (F16 and BF16 are uint16_t).
  template <class T>
  std::vector<T> values() const {
    static_assert(sizeof(T) <= 8, "an element has at most 8 bytes");
    if (sizeof(T) != size_of(type)) throw std::logic_error("element size of tensor " + name);
    std::vector<T> copy(elements());
    if (bytes != 0) std::memcpy(copy.data(), data, bytes);
    return copy;
  }
};

/// A safetensors file in memory (references.md#safetensors). The reader is strict: header keys are
/// unique and known, and offsets cover the data exactly once.
/// Every function that reads throws InputError ("FILE: tensor NAME: what; what would be right").
class Safetensors {
 public:
  static constexpr std::size_t max_header_bytes = 100'000'000;  // limit of the reference reader

  static Safetensors read(const std::string& path);
  /// Maps the file. Pages are read when they are accessed.
  static Safetensors map(const std::string& path);
  /// `origin` replaces the file name in messages.
  static Safetensors parse(std::vector<std::uint8_t> file, const std::string& origin);

  /// Moving keeps the tensors valid.
  Safetensors(Safetensors&&) = default;
  Safetensors& operator=(Safetensors&&) = default;
  Safetensors(const Safetensors&) = delete;
  Safetensors& operator=(const Safetensors&) = delete;

  const std::string& origin() const { return origin_; }
  const Metadata& metadata() const { return metadata_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }  ///< by ascending offset

  const Tensor* find(std::string_view name) const;  ///< null if missing
  const Tensor& at(std::string_view name) const;    ///< InputError if missing
  /// Throws InputError also if it has another type or rank.
  const Tensor& at(std::string_view name, DataType type, std::size_t rank) const;
  const std::string& metadata_at(const std::string& key) const;

 private:
  Safetensors() = default;
  static Safetensors index(const std::uint8_t* file, std::size_t bytes, const std::string& origin);

  std::string origin_;
  std::shared_ptr<const void> file_;  ///< keeps the bytes
  Metadata metadata_;
  std::vector<Tensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> position_;
};

/// Bytes before the data: header length and JSON, padded with spaces to 8 bytes. Tensors are in the
/// given order, metadata keys sorted. Equal input gives equal bytes. Throws InputError if a name or
/// text is not UTF-8, std::logic_error if the bytes of a tensor do not match its shape or a name
/// repeats.
std::string safetensors_header(const std::vector<Tensor>& tensors, const Metadata& metadata);

/// Writes header and data. Throws also like AtomicFile.
void write_safetensors(const std::string& path, const std::vector<Tensor>& tensors,
                       const Metadata& metadata, bool force);

/// A view of a vector for write_safetensors; it must outlive the call.
template <class T>
Tensor view(std::string name, DataType type, Shape shape, const std::vector<T>& values) {
  return {std::move(name), type, std::move(shape),
          reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace axelram::files
