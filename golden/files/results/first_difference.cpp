#include <array>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include "axelram/files/result.hpp"
#include "metadata.hpp"

namespace axelram::files {
namespace {

template <class T>
std::string text_of(T value) {
  return std::to_string(value);
}

/// Shortest text that parses to the same float, and its bits, which distinguish NaNs.
std::string text_of(float value) {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  std::array<char, 8> hex{};
  const auto hex_end = std::to_chars(hex.data(), hex.data() + hex.size(), bits, 16);
  return std::string(text.data(), end.ptr) + " (0x" + std::string(hex.data(), hex_end.ptr) + ")";
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;  // NOLINT(bugprone-suspicious-memory-comparison)
}

/// One tensor of a result, with untyped values.
struct Compared {
  const TensorRow* row;
  Shape shape;
  const void* values;
};

std::vector<Compared> tensors_of(const Result& result) {
  if (const std::string wrong = wrong_tensor(result); !wrong.empty())
    throw std::logic_error("result tensor " + wrong);
  std::vector<Compared> tensors;
  for_each_tensor(result, [&](const TensorRow& row, const Shape& shape, const auto& values) {
    tensors.push_back({&row, shape, values.data()});
  });
  return tensors;
}

std::optional<Difference> different_metadata(const Result& first, const Result& second) {
  const Metadata a = metadata_of(first);
  const Metadata b = metadata_of(second);
  for (const auto& [key, value] : a) {
    const auto other = b.find(key);
    if (other == b.end()) return Difference{key, {}, {}, value, "none"};
    if (value != other->second) return Difference{key, {}, {}, value, other->second};
  }
  return std::nullopt;
}

std::optional<Difference> different_shape(const std::vector<Compared>& a,
                                          const std::vector<Compared>& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const std::string name = a[i].row->name;
    if (name != b[i].row->name) return Difference{"name of a tensor", {}, {}, name, b[i].row->name};
    if (a[i].row != b[i].row)
      return Difference{
          "type of " + name, {}, {}, name_of(a[i].row->type), name_of(b[i].row->type)};
    if (a[i].shape != b[i].shape)
      return Difference{"shape of " + name, {}, {}, to_string(a[i].shape), to_string(b[i].shape)};
  }
  if (a.size() != b.size())
    return Difference{
        "number of tensors", {}, {}, std::to_string(a.size()), std::to_string(b.size())};
  return std::nullopt;
}

}  // namespace

std::string Difference::text() const {
  std::string where = name;
  if (row) where += ", row " + std::to_string(*row);
  if (column) where += ", column " + std::to_string(*column);
  return where + ": " + first + " against " + second;
}

std::optional<Difference> first_difference(const Result& first, const Result& second) {
  if (auto difference = different_metadata(first, second)) return difference;
  const std::vector<Compared> a = tensors_of(first);
  const std::vector<Compared> b = tensors_of(second);
  if (auto difference = different_shape(a, b)) return difference;

  std::optional<Difference> found;
  std::size_t number = 0;
  for_each_tensor(first, [&](const TensorRow& row, const Shape& shape, const auto& values) {
    const std::size_t here = number++;
    const auto* other = static_cast<decltype(values.data())>(b[here].values);
    if (found || values.empty()) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (same_bits(values[i], other[i])) continue;
      found = Difference{row.name, i, {}, text_of(values[i]), text_of(other[i])};
      if (shape.size() > 1) {  // the columns of all further axes, one after the other
        const std::size_t width = values.size() / shape[0];
        found->row = i / width;
        found->column = i % width;
      }
      return;
    }
  });
  return found;
}

}  // namespace axelram::files
