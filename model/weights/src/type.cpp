#include "axelram/weights/type.hpp"

#include <array>
#include <stdexcept>
#include <vector>

#include "axelram/files/messages.hpp"
#include "blocks.hpp"

namespace axelram::weights {
namespace {

/// Expands one block of `block` values, or `count` values of a plain format.
using Expand = void (*)(const std::uint8_t* data, std::size_t count, float* values);

struct Format {
  Type type;
  const char* name;
  std::uint32_t gguf;  ///< number of the type in a GGUF file
  std::size_t values, bytes;
  Expand expand;
};

constexpr std::array<Format, 11> kFormats = {{
    {Type::f32, "F32", 0, 1, 4, expand_f32},
    {Type::f16, "F16", 1, 1, 2, expand_f16},
    {Type::bf16, "BF16", 30, 1, 2, expand_bf16},
    {Type::q8_0, "Q8_0", 8, 32, 34, expand_q8_0},
    {Type::q4_0, "Q4_0", 2, 32, 18, expand_q4_0},
    {Type::q4_1, "Q4_1", 3, 32, 20, expand_q4_1},
    {Type::q5_0, "Q5_0", 6, 32, 22, expand_q5_0},
    {Type::q5_1, "Q5_1", 7, 32, 24, expand_q5_1},
    {Type::q4_k, "Q4_K", 12, 256, 144, expand_q4_k},
    {Type::q5_k, "Q5_K", 13, 256, 176, expand_q5_k},
    {Type::q6_k, "Q6_K", 14, 256, 210, expand_q6_k},
}};

constexpr bool in_order_of_type() {
  for (std::size_t i = 0; i < kFormats.size(); ++i)
    if (kFormats[i].type != static_cast<Type>(i)) return false;
  return true;
}
static_assert(in_order_of_type());

const Format& format(Type type) { return kFormats.at(static_cast<std::size_t>(type)); }

}  // namespace

const char* name_of(Type type) { return format(type).name; }
std::size_t values_per_block(Type type) { return format(type).values; }
std::size_t bytes_per_block(Type type) { return format(type).bytes; }
std::size_t bytes_of(Type type, std::size_t count) {
  return count / format(type).values * format(type).bytes;
}

std::string all_names() {
  std::vector<std::string> names;
  for (const Format& one : kFormats) names.emplace_back(one.name);
  return files::any_of(names);
}

std::optional<Type> type_of_gguf(std::uint32_t number) {
  for (const Format& one : kFormats)
    if (one.gguf == number) return one.type;
  return std::nullopt;
}

std::optional<Type> type_of(files::DataType type) {
  switch (type) {
    case files::DataType::f32:
      return Type::f32;
    case files::DataType::f16:
      return Type::f16;
    case files::DataType::bf16:
      return Type::bf16;
    default:
      return std::nullopt;
  }
}

files::DataType data_type_of(Type type) {
  switch (type) {
    case Type::f32:
      return files::DataType::f32;
    case Type::f16:
      return files::DataType::f16;
    case Type::bf16:
      return files::DataType::bf16;
    default:
      throw std::logic_error(std::string(name_of(type)) + " is no type of a safetensors file");
  }
}

void to_floats(Type type, const std::uint8_t* data, std::size_t count, float* values) {
  const Format& one = format(type);
  if (count % one.values != 0) throw std::logic_error("a part of a block of weights");
  one.expand(data, count, values);
}

}  // namespace axelram::weights
