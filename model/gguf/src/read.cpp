#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <set>

#include "axelram/files/mapped_file.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/gguf/gguf.hpp"
#include "cursor.hpp"
#include "value_types.hpp"

namespace axelram::gguf {
namespace {

using files::in_quotes;
using files::InputError;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::string_view kMagic = "GGUF";
constexpr char kAlignment[] = "general.alignment";
constexpr char kParts[] = "split.count";
constexpr std::uint64_t kDefaultAlignment = 32, kMaxAlignment = 1 << 20;
constexpr std::uint32_t kMaxRank = 4;
constexpr std::size_t kMaxName = 65535;

void check_version(std::uint32_t version, const std::string& origin) {
  if (version == 2 || version == 3) return;
  const bool swapped = version != 0 && (version & 0xFFFFU) == 0;
  throw InputError(origin + ": GGUF version " +
                   (swapped ? std::string("in big-endian order; supported are little-endian files")
                            : std::to_string(version) + "; supported are 2 and 3"));
}

std::string name_at(Cursor& cursor, const char* what, const std::string& origin) {
  const std::size_t place = cursor.position();
  const std::string_view name = cursor.text(what);
  if (name.empty() || name.size() > kMaxName || files::first_invalid_utf8(name) != name.size())
    throw InputError(origin + ": " + what + " at byte " + std::to_string(place) + ": " +
                     in_quotes(name) + "; it must be UTF-8 of 1..65535 bytes");
  return std::string(name);
}

ValueType type_at(Cursor& cursor, const std::string& origin, const std::string& key) {
  const auto number = cursor.number<std::uint32_t>("the type of a value");
  if (number > static_cast<std::uint32_t>(ValueType::f64))
    throw InputError(origin + ": " + files::printable(key) + ": type " + std::to_string(number) +
                     "; the format has 0..12");
  return static_cast<ValueType>(number);
}

/// Moves behind `count` values of a type.
void skip_values(Cursor& cursor, ValueType type, std::uint64_t count) {
  if (type == ValueType::text) {
    for (std::uint64_t i = 0; i < count; ++i) cursor.text("a text");
    return;
  }
  const std::uint64_t size = size_of(type);
  if (count > cursor.left() / size)  // the product could overflow
    cursor.skip(cursor.left() + std::uint64_t{1}, "a list");
  cursor.skip(count * size, "a value");
}

Value value_at(Cursor& cursor, const std::string& origin, const std::string& key) {
  Value value{type_at(cursor, origin, key)};
  if (value.type == ValueType::list) {
    value.is_list = true;
    value.type = type_at(cursor, origin, key);
    value.count = cursor.number<std::uint64_t>("the length of a list");
    if (value.type == ValueType::list)
      throw InputError(origin + ": " + files::printable(key) +
                       ": a list of lists; supported are lists of numbers and of texts");
  }
  value.data = cursor.here();
  skip_values(cursor, value.type, value.count);
  return value;
}

struct Placed {
  Tensor tensor;
  std::uint64_t offset;  ///< from the beginning of the data
};

[[noreturn]] void fail_tensor(const std::string& origin, const std::string& name,
                              const std::string& what) {
  throw InputError(origin + ": tensor " + files::printable(name) + ": " + what);
}

/// Number of values, or none if it or its bytes exceed 2^62.
std::uint64_t elements_of(const Tensor& tensor, const std::string& origin) {
  std::uint64_t product = 1;
  for (const std::uint64_t extent : tensor.shape) {
    if (extent == 0 || extent > (std::uint64_t{1} << 56) / product)
      fail_tensor(origin, tensor.name,
                  "shape " + files::to_string(tensor.shape) + "; it must have 1..2^56 values");
    product *= extent;
  }
  return product;
}

Placed tensor_at(Cursor& cursor, const std::string& origin) {
  Placed placed;
  Tensor& tensor = placed.tensor;
  tensor.name = name_at(cursor, "the name of a tensor", origin);
  const auto rank = cursor.number<std::uint32_t>("the rank of a tensor");
  if (rank == 0 || rank > kMaxRank)
    fail_tensor(origin, tensor.name, "rank " + std::to_string(rank) + "; the format has 1..4");
  for (std::uint32_t i = 0; i < rank; ++i)
    tensor.shape.push_back(cursor.number<std::uint64_t>("the shape of a tensor"));
  std::reverse(tensor.shape.begin(), tensor.shape.end());
  const auto number = cursor.number<std::uint32_t>("the type of a tensor");
  const auto type = weights::type_of_gguf(number);
  if (!type)
    fail_tensor(origin, tensor.name,
                "type " + std::to_string(number) + "; supported are " + weights::all_names());
  tensor.type = *type;
  const std::uint64_t elements = elements_of(tensor, origin);
  if (tensor.shape.back() % weights::values_per_block(*type) != 0)
    fail_tensor(origin, tensor.name,
                "rows of " + std::to_string(tensor.shape.back()) + " values; blocks of " +
                    weights::name_of(*type) + " have " +
                    std::to_string(weights::values_per_block(*type)));
  tensor.bytes = weights::bytes_of(*type, elements);
  placed.offset = cursor.number<std::uint64_t>("the offset of a tensor");
  return placed;
}

/// Sets `data`. The data of all tensors begins at `begin` of the file.
void place(std::vector<Placed>& all, const std::uint8_t* begin, std::size_t bytes,
           std::uint64_t alignment, const std::string& origin) {
  std::vector<const Placed*> by_offset;
  for (Placed& one : all) {
    const std::string offset = "offset " + std::to_string(one.offset);
    if (one.offset % alignment != 0)
      fail_tensor(
          origin, one.tensor.name,
          offset + "; it must be a multiple of the alignment, " + std::to_string(alignment));
    if (one.offset > bytes || one.tensor.bytes > bytes - one.offset)
      fail_tensor(origin, one.tensor.name,
                  offset + " and " + std::to_string(one.tensor.bytes) + " bytes; the file has " +
                      std::to_string(bytes) + " bytes of data: was it cut off?");
    one.tensor.data = begin + one.offset;
    by_offset.push_back(&one);
  }
  std::sort(by_offset.begin(), by_offset.end(),
            [](const Placed* a, const Placed* b) { return a->offset < b->offset; });
  for (std::size_t i = 1; i < by_offset.size(); ++i)
    if (by_offset[i]->offset < by_offset[i - 1]->offset + by_offset[i - 1]->tensor.bytes)
      fail_tensor(origin, by_offset[i]->tensor.name,
                  "it overlaps tensor " + files::printable(by_offset[i - 1]->tensor.name) +
                      "; each must have bytes of its own");
}

}  // namespace

bool Gguf::is_gguf(const std::string& path) {
  std::error_code unknown;  // of a path that cannot be followed
  // Opening a pipe would wait for its writer, and reading would take away what it holds.
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string magic(kMagic.size(), '\0');
  return file.read(magic.data(), static_cast<std::streamsize>(magic.size())) && magic == kMagic;
}

Gguf Gguf::map(const std::string& path) {
  const auto kept = std::make_shared<const files::MappedFile>(path);
  return index(kept, kept->data(), kept->size(), files::printable(path));
}

Gguf Gguf::parse(std::vector<std::uint8_t> file, const std::string& origin) {
  const auto kept = std::make_shared<const std::vector<std::uint8_t>>(std::move(file));
  return index(kept, kept->data(), kept->size(), origin);
}

Gguf Gguf::index(std::shared_ptr<const void> keep, const std::uint8_t* file, std::size_t bytes,
                 const std::string& origin) {
  Gguf result;
  result.origin_ = origin;
  result.file_ = std::move(keep);
  Cursor cursor(file, bytes, result.origin_);
  const std::uint8_t* const magic = cursor.skip(kMagic.size(), "the magic number");
  if (!std::equal(kMagic.begin(), kMagic.end(), magic))
    throw InputError(origin + ": no GGUF file; it does not begin with GGUF");
  check_version(cursor.number<std::uint32_t>("the version"), origin);
  const auto tensors = cursor.number<std::uint64_t>("the number of tensors");
  const auto values = cursor.number<std::uint64_t>("the number of keys");
  for (std::uint64_t i = 0; i < values; ++i) {
    std::string key = name_at(cursor, "a key", origin);
    Value value = value_at(cursor, origin, key);
    if (const auto [place, fresh] = result.values_.emplace(std::move(key), value); !fresh)
      throw InputError(origin + ": " + files::printable(place->first) +
                       " is there twice; give it once");
  }
  if (result.has(kParts) && result.integer(kParts) > 1)
    result.fail(kParts, "this is one part of a split file; join the parts (gguf-split --merge)");
  const std::int64_t asked =
      result.has(kAlignment) ? result.integer(kAlignment) : std::int64_t{kDefaultAlignment};
  const auto alignment = static_cast<std::uint64_t>(asked);
  if (asked < 1 || alignment > kMaxAlignment || !std::has_single_bit(alignment))
    result.fail(kAlignment, "it must be a power of two in 1..2^20");

  std::vector<Placed> all;
  std::set<std::string_view> names;
  for (std::uint64_t i = 0; i < tensors; ++i) all.push_back(tensor_at(cursor, origin));
  for (const Placed& one : all)
    if (!names.insert(one.tensor.name).second)
      fail_tensor(origin, one.tensor.name, "it is there twice; give it once");
  const std::size_t begin = std::min(
      bytes, (cursor.position() + static_cast<std::size_t>(alignment) - 1) /
                 static_cast<std::size_t>(alignment) * static_cast<std::size_t>(alignment));
  place(all, file + begin, bytes - begin, alignment, origin);
  for (Placed& one : all) {
    result.position_.emplace(one.tensor.name, result.tensors_.size());
    result.tensors_.push_back(std::move(one.tensor));
  }
  return result;
}

}  // namespace axelram::gguf
