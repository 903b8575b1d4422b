#include <charconv>
#include <sstream>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/report/token.hpp"

namespace axelram::report {
namespace {

constexpr const char* kForm = "layers=N,kv_heads=N,query_heads=N,context=N";

}  // namespace

std::uint64_t parse_shape_number(const std::string& text, const std::string& name,
                                 std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 1 || value > most)
    throw files::InputError(name + " is " + files::in_quotes(text) +
                            "; give a whole number, 1 .. " + std::to_string(most));
  return value;
}

void check_query_heads(const ModelShape& shape) {
  if (shape.query_heads % shape.kv_heads != 0)
    throw files::InputError("query_heads is " + std::to_string(shape.query_heads) +
                            "; give a multiple of kv_heads, " + std::to_string(shape.kv_heads) +
                            ": each KV head has as many queries");
}

ModelShape parse_model_shape(const std::string& text) {
  ModelShape shape;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const ShapeNumber* known = nullptr;
    for (const ShapeNumber& field : kShapeNumbers)
      if (name == field.name) known = &field;
    if (known == nullptr || equals == std::string::npos)
      throw files::InputError("'" + part + "' is no part of a shape; give " + kForm);
    if (shape.*known->member != 0) throw files::InputError(name + " is given twice; give it once");
    shape.*known->member = parse_shape_number(part.substr(equals + 1), known->name, known->most);
  }
  for (const ShapeNumber& field : kShapeNumbers)
    if (shape.*field.member == 0)
      throw files::InputError(std::string(field.name) + " is not given; give " + kForm);
  check_query_heads(shape);
  return shape;
}

}  // namespace axelram::report
