#include "field.hpp"

#include <utility>

#include "axelram/files/errors.hpp"
#include "axelram/files/messages.hpp"

namespace axelram::tokens {

Field::Field(const nlohmann::json& json, std::string origin)
    : Field(&json, std::move(origin), "") {}

Field::Field(const nlohmann::json* json, std::string origin, std::string path)
    : json_(json), origin_(std::move(origin)), path_(std::move(path)) {}

Field Field::operator[](const std::string& key) const {
  const nlohmann::json& members = object();
  const auto place = members.find(key);
  return {place == members.end() ? nullptr : &*place, origin_,
          path_.empty() ? key : path_ + "." + key};
}

Field Field::operator[](std::size_t index) const {
  return {index < size() ? &(*json_)[index] : nullptr, origin_,
          path_ + "[" + std::to_string(index) + "]"};
}

bool Field::given() const { return json_ != nullptr && !json_->is_null(); }
bool Field::is_text() const { return given() && json_->is_string(); }
bool Field::is_object() const { return given() && json_->is_object(); }

std::string Field::text() const { return std::string(view()); }

std::string_view Field::view() const {
  if (!is_text()) reject("a text was expected");
  return json_->get_ref<const std::string&>();
}

bool Field::flag() const {
  if (!given() || !json_->is_boolean()) reject("true or false was expected");
  return json_->get<bool>();
}

bool Field::flag(bool otherwise) const { return given() ? flag() : otherwise; }

std::int32_t Field::id() const {
  if (!given() || !json_->is_number_unsigned() || json_->get<std::uint64_t>() >= kMaxIds)
    reject("an id was expected, a whole number in 0..2^24 - 1");
  return json_->get<std::int32_t>();
}

std::size_t Field::size() const { return list().size(); }

const nlohmann::json& Field::list() const {
  if (!given() || !json_->is_array()) reject("a list was expected");
  return *json_;
}

const nlohmann::json& Field::object() const {
  if (!is_object()) reject("an object was expected");
  return *json_;
}

void Field::fail(const std::string& what) const {
  const std::string place = path_.empty() ? "the top" : files::printable(path_);
  throw files::InputError(files::printable(origin_) + ": " + place + ": " + what);
}

void Field::reject(const std::string& right) const {
  if (json_ == nullptr) fail("missing; " + right);
  if (json_->is_object() || json_->is_array())
    fail((json_->is_object() ? "an object; " : "a list; ") + right);
  fail(files::printable(json_->dump()) + "; " + right);
}

}  // namespace axelram::tokens
