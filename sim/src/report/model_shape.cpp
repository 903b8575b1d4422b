#include <array>
#include <charconv>
#include <sstream>

#include "axelram/files/errors.hpp"
#include "axelram/sim/token.hpp"

namespace axelram::sim {
namespace {

constexpr const char* kForm = "layers=N,kv_heads=N,query_heads=N,context=N";

/// A number of a shape. The highest ones keep every count below 2^64.
struct Field {
  const char* name;
  std::uint64_t ModelShape::*member;
  std::uint64_t most;
};
constexpr std::array<Field, 4> kFields = {{{"layers", &ModelShape::layers, 1024},
                                           {"kv_heads", &ModelShape::kv_heads, 1024},
                                           {"query_heads", &ModelShape::query_heads, 65536},
                                           {"context", &ModelShape::context, 1U << 30}}};

std::uint64_t number_of(const std::string& text, const Field& field) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 1 || value > field.most)
    throw files::InputError(std::string(field.name) + " is '" + text +
                            "'; give a whole number, 1 .. " + std::to_string(field.most));
  return value;
}

}  // namespace

ModelShape parse_model_shape(const std::string& text) {
  ModelShape shape;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const Field* known = nullptr;
    for (const Field& field : kFields)
      if (name == field.name) known = &field;
    if (known == nullptr || equals == std::string::npos)
      throw files::InputError("'" + part + "' is no part of a shape; give " + kForm);
    if (shape.*known->member != 0) throw files::InputError(name + " is given twice; give it once");
    shape.*known->member = number_of(part.substr(equals + 1), *known);
  }
  for (const Field& field : kFields)
    if (shape.*field.member == 0)
      throw files::InputError(std::string(field.name) + " is not given; give " + kForm);
  if (shape.query_heads % shape.kv_heads != 0)
    throw files::InputError("query_heads is " + std::to_string(shape.query_heads) +
                            "; give a multiple of kv_heads, " + std::to_string(shape.kv_heads) +
                            ": each KV head has as many queries");
  return shape;
}

}  // namespace axelram::sim
