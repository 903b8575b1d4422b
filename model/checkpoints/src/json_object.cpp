#include "json_object.hpp"

#include <utility>

#include "axelram/files/errors.hpp"
#include "axelram/files/json.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::checkpoints {

using files::InputError;

namespace {

bool is_count(const nlohmann::json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= std::uint64_t{1} << 31;
}

}  // namespace

JsonObject::JsonObject(nlohmann::json json, std::string where)
    : json_(std::move(json)), where_(std::move(where)) {}

JsonObject JsonObject::read(const std::string& path) {
  nlohmann::json json = files::read_json(path);
  if (!json.is_object())
    throw InputError(files::printable(path) + ": a JSON object was expected at the top");
  return {std::move(json), files::printable(path) + ": "};
}

JsonObject JsonObject::of(nlohmann::json json, std::string where,
                          std::map<std::string, std::string> names) {
  JsonObject object(std::move(json), std::move(where));
  object.names_ = std::move(names);
  return object;
}

std::string JsonObject::place(const std::string& key) const {
  if (const auto other = borrowed_.find(key); other != borrowed_.end()) return other->second;
  const auto name = names_.find(key);
  return where_ + (name == names_.end() ? files::printable(key) : name->second);
}

bool JsonObject::has(const std::string& key) const {
  const auto place = json_.find(key);
  return place != json_.end() && !place->is_null();
}

void JsonObject::borrow(const JsonObject& from, const std::string& key) {
  set(key, from.json_.at(key));
  borrowed_[key] = from.place(key);
}

void JsonObject::assume(const std::string& key, nlohmann::json value) {
  assumed_[key] = json_.contains(key) ? "null" : "missing";
  set(key, std::move(value));
}

const nlohmann::json& JsonObject::at(const std::string& key) const {
  if (!json_.contains(key)) throw InputError(place(key) + " is missing; the model needs it");
  if (!has(key)) throw InputError(place(key) + " is null; the model needs a value");
  return *json_.find(key);
}

void JsonObject::fail(const std::string& key, const std::string& what) const {
  const std::string value =
      json_.contains(key)
          ? json_.at(key).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
          : "missing";
  throw InputError(place(key) + " is " +
                   (is_assumed(key) ? assumed_.at(key) + ", which means " : "") +
                   files::printable(value) + "; " + what);
}

std::size_t JsonObject::count(const std::string& key) const {
  if (!is_count(at(key)) || at(key) == 0) fail(key, "it must be a whole number in 1..2^31");
  return at(key).get<std::size_t>();
}

std::size_t JsonObject::count_or_zero(const std::string& key) const {
  if (!is_count(at(key))) fail(key, "it must be a whole number in 0..2^31");
  return at(key).get<std::size_t>();
}

std::size_t JsonObject::count(const std::string& key, std::size_t otherwise) const {
  return has(key) ? count(key) : otherwise;
}

double JsonObject::positive(const std::string& key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_number() || !(value.get<double>() > 0)) fail(key, "it must be a positive number");
  return value.get<double>();
}

double JsonObject::positive(const std::string& key, double otherwise) const {
  return has(key) ? positive(key) : otherwise;
}

bool JsonObject::flag(const std::string& key) const {
  if (!at(key).is_boolean()) fail(key, "it must be true or false");
  return at(key).get<bool>();
}

bool JsonObject::flag(const std::string& key, bool otherwise) const {
  return has(key) ? flag(key) : otherwise;
}

std::string JsonObject::text(const std::string& key) const {
  if (!at(key).is_string()) fail(key, "it must be a text");
  return at(key).get<std::string>();
}

std::string JsonObject::text(const std::string& key, const std::string& otherwise) const {
  return has(key) ? text(key) : otherwise;
}

std::vector<std::string> JsonObject::texts(const std::string& key) const {
  std::vector<std::string> all;
  if (!at(key).is_array()) fail(key, "it must be a list of texts");
  for (const nlohmann::json& one : at(key)) {
    if (!one.is_string()) fail(key, "it must be a list of texts");
    all.push_back(one.get<std::string>());
  }
  return all;
}

JsonObject JsonObject::object(const std::string& key) const {
  if (!at(key).is_object()) fail(key, "it must be an object");
  JsonObject inner(at(key), names_.empty() ? where_ + key + "." : where_);
  inner.names_ = names_;
  return inner;
}

JsonObject JsonObject::empty() const {
  JsonObject none = *this;
  none.json_ = nlohmann::json::object();
  return none;
}

std::vector<std::string> JsonObject::keys() const {
  std::vector<std::string> names;
  for (const auto& item : json_.items()) names.push_back(item.key());
  return names;
}

}  // namespace axelram::checkpoints
