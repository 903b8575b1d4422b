#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "axelram/files/messages.hpp"
#include "axelram/gguf/gguf.hpp"
#include "axelram/weights/load.hpp"
#include "value_types.hpp"

namespace axelram::gguf {
namespace {

bool is_integer(ValueType type) {
  return size_of(type) != 0 && type != ValueType::f32 && type != ValueType::f64 &&
         type != ValueType::boolean;
}

/// Saturates a U64 above 2^63 - 1, which no count of a model reaches.
std::int64_t integer_at(ValueType type, const std::uint8_t* place) {
  switch (type) {
    case ValueType::u8:
      return weights::load<std::uint8_t>(place);
    case ValueType::i8:
      return weights::load<std::int8_t>(place);
    case ValueType::u16:
      return weights::load<std::uint16_t>(place);
    case ValueType::i16:
      return weights::load<std::int16_t>(place);
    case ValueType::u32:
      return weights::load<std::uint32_t>(place);
    case ValueType::i32:
      return weights::load<std::int32_t>(place);
    case ValueType::i64:
      return weights::load<std::int64_t>(place);
    default:
      return static_cast<std::int64_t>(std::min<std::uint64_t>(
          weights::load<std::uint64_t>(place), std::numeric_limits<std::int64_t>::max()));
  }
}

bool is_number(ValueType type) {
  return is_integer(type) || type == ValueType::f32 || type == ValueType::f64;
}

double real_at(ValueType type, const std::uint8_t* place) {
  if (is_integer(type)) return static_cast<double>(integer_at(type, place));
  return type == ValueType::f64 ? weights::load<double>(place)
                                : static_cast<double>(weights::load<float>(place));
}

std::string_view text_at(const std::uint8_t* place) {
  return {reinterpret_cast<const char*>(place + 8),
          static_cast<std::size_t>(weights::load<std::uint64_t>(place))};
}

}  // namespace

std::vector<std::string> Gguf::keys() const {
  std::vector<std::string> result;
  for (const auto& [key, value] : values_) result.push_back(key);
  return result;
}

const Tensor* Gguf::find(std::string_view name) const {
  const auto place = position_.find(name);
  return place == position_.end() ? nullptr : &tensors_[place->second];
}

const Value& Gguf::at(const std::string& key) const {
  const auto place = values_.find(key);
  if (place == values_.end())
    throw files::InputError(origin_ + ": " + files::printable(key) +
                            " is missing; the model needs it");
  return place->second;
}

std::string Gguf::shown(const Value& value) const {
  if (value.is_list) return "a list of " + std::to_string(value.count);
  if (value.type == ValueType::text) return files::in_quotes(text_at(value.data));
  if (value.type == ValueType::boolean) return *value.data != 0 ? "true" : "false";
  if (is_integer(value.type)) return std::to_string(integer_at(value.type, value.data));
  return std::to_string(real_at(value.type, value.data));
}

void Gguf::fail(const std::string& key, const std::string& what) const {
  const auto place = values_.find(key);
  throw files::InputError(origin_ + ": " + files::printable(key) + " is " +
                          (place == values_.end() ? "missing" : shown(place->second)) + "; " +
                          what);
}

bool Gguf::is_list(const std::string& key) const { return at(key).is_list; }

std::int64_t Gguf::integer(const std::string& key) const {
  const Value& value = at(key);
  if (value.is_list || !is_integer(value.type)) fail(key, "it must be a whole number");
  return integer_at(value.type, value.data);
}

double Gguf::real(const std::string& key) const {
  const Value& value = at(key);
  if (value.is_list || !is_number(value.type) || !std::isfinite(real_at(value.type, value.data)))
    fail(key, "it must be a finite number");
  return real_at(value.type, value.data);
}

bool Gguf::flag(const std::string& key) const {
  const Value& value = at(key);
  if (value.is_list || value.type != ValueType::boolean) fail(key, "it must be true or false");
  return *value.data != 0;
}

std::string_view Gguf::text(const std::string& key) const {
  const Value& value = at(key);
  if (value.is_list || value.type != ValueType::text) fail(key, "it must be a text");
  return text_at(value.data);
}

std::vector<std::int64_t> Gguf::integers(const std::string& key) const {
  const Value& value = at(key);
  if (!value.is_list || !is_integer(value.type)) fail(key, "it must be a list of whole numbers");
  std::vector<std::int64_t> result;
  for (std::uint64_t i = 0; i < value.count; ++i)
    result.push_back(integer_at(value.type, value.data + i * size_of(value.type)));
  return result;
}

std::vector<bool> Gguf::flags(const std::string& key) const {
  const Value& value = at(key);
  if (!value.is_list || value.type != ValueType::boolean)
    fail(key, "it must be a list of true and false");
  std::vector<bool> result;
  for (std::uint64_t i = 0; i < value.count; ++i) result.push_back(value.data[i] != 0);
  return result;
}

std::vector<float> Gguf::reals(const std::string& key) const {
  const Value& value = at(key);
  if (!value.is_list || value.type != ValueType::f32) fail(key, "it must be a list of F32");
  std::vector<float> result(static_cast<std::size_t>(value.count));
  if (!result.empty()) std::memcpy(result.data(), value.data, result.size() * sizeof(float));
  for (const float one : result)
    if (!std::isfinite(one)) fail(key, "its numbers must be finite");
  return result;
}

std::vector<std::string_view> Gguf::texts(const std::string& key) const {
  const Value& value = at(key);
  if (!value.is_list || value.type != ValueType::text) fail(key, "it must be a list of texts");
  std::vector<std::string_view> result;
  const std::uint8_t* place = value.data;
  for (std::uint64_t i = 0; i < value.count; ++i) {
    result.push_back(text_at(place));
    place += 8 + result.back().size();
  }
  return result;
}

}  // namespace axelram::gguf
