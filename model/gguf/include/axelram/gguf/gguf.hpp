#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "axelram/files/safetensors.hpp"
#include "axelram/weights/type.hpp"

namespace axelram::gguf {

/// Types of metadata, with the numbers of the format.
enum class ValueType : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  text,
  list,
  u64,
  i64,
  f64
};

/// A value in the file: of `type`, or a list of `count` values of `type`.
struct Value {
  ValueType type;
  bool is_list = false;
  std::uint64_t count = 1;
  const std::uint8_t* data = nullptr;  ///< unaligned; a text is a U64 and its bytes
};

/// A view of a tensor: row-major, little-endian, possibly unaligned. A row is whole blocks.
struct Tensor {
  std::string name;
  weights::Type type = weights::Type::f32;
  files::Shape shape;  ///< outermost dimension first, as in safetensors; the file has the reverse
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
};

/// A GGUF file in memory (references.md#gguf), versions 2 and 3. Everything is checked when it is
/// opened: keys and tensors are unique, tensors are aligned, within the file and do not overlap.
/// Throws files::InputError ("FILE: key or tensor: what; what would be right").
class Gguf {
 public:
  /// Whether a regular file begins as a GGUF file does. False if it cannot be read.
  static bool is_gguf(const std::string& path);
  /// Maps the file. Pages are read when they are accessed.
  static Gguf map(const std::string& path);
  /// `origin` replaces the file name in messages.
  static Gguf parse(std::vector<std::uint8_t> file, const std::string& origin);

  const std::string& origin() const { return origin_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }  ///< in the order of the file
  const Tensor* find(std::string_view name) const;                 ///< null if missing

  bool has(const std::string& key) const { return values_.count(key) != 0; }
  std::vector<std::string> keys() const;  ///< sorted
  /// Values by key. Throw files::InputError if missing or of another type.
  std::int64_t integer(const std::string& key) const;  ///< any integer type; below 2^63
  double real(const std::string& key) const;           ///< any number, finite
  bool flag(const std::string& key) const;
  std::string_view text(const std::string& key) const;
  std::vector<std::int64_t> integers(const std::string& key) const;   ///< list
  std::vector<bool> flags(const std::string& key) const;              ///< list
  std::vector<float> reals(const std::string& key) const;             ///< list of F32, finite
  std::vector<std::string_view> texts(const std::string& key) const;  ///< list
  bool is_list(const std::string& key) const;

  /// Throws files::InputError "FILE: key is VALUE; what".
  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

 private:
  Gguf() = default;
  static Gguf index(std::shared_ptr<const void> keep, const std::uint8_t* file, std::size_t bytes,
                    const std::string& origin);
  const Value& at(const std::string& key) const;
  std::string shown(const Value& value) const;

  std::string origin_;
  std::shared_ptr<const void> file_;  ///< keeps the bytes
  std::map<std::string, Value, std::less<>> values_;
  std::vector<Tensor> tensors_;
  std::map<std::string, std::size_t, std::less<>> position_;
};

}  // namespace axelram::gguf
