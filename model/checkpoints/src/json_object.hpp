#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace axelram::checkpoints {

/// An object of a JSON file, read with messages that name file and key.
class JsonObject {
 public:
  /// The file's object. Throws files::InputError if it is none.
  static JsonObject read(const std::string& path);
  /// An object that was made from another source; `names` are the keys there, for messages.
  static JsonObject of(nlohmann::json json, std::string where,
                       std::map<std::string, std::string> names);

  bool has(const std::string& key) const;  ///< present and not null
  /// A value instead of the one that the file has, or has not.
  void set(const std::string& key, nlohmann::json value) { json_[key] = std::move(value); }
  /// The value of a key of another object, which messages name.
  void borrow(const JsonObject& from, const std::string& key);
  /// The value of a key that the file leaves out, or that is null. Messages say so.
  void assume(const std::string& key, nlohmann::json value);
  bool is_assumed(const std::string& key) const { return assumed_.count(key) != 0; }

  /// Throw files::InputError for a missing key (without a default) or another type or range.
  std::size_t count(const std::string& key) const;  ///< 1 .. 2^31
  std::size_t count(const std::string& key, std::size_t otherwise) const;
  std::size_t count_or_zero(const std::string& key) const;  ///< 0 .. 2^31
  double positive(const std::string& key) const;
  double positive(const std::string& key, double otherwise) const;
  bool flag(const std::string& key) const;
  bool flag(const std::string& key, bool otherwise) const;
  std::string text(const std::string& key) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  std::vector<std::string> texts(const std::string& key) const;
  JsonObject object(const std::string& key) const;
  JsonObject empty() const;  ///< without keys, in the place of this one
  std::vector<std::string> keys() const;
  const nlohmann::json& json() const { return json_; }

  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

 private:
  JsonObject(nlohmann::json json, std::string where);
  const nlohmann::json& at(const std::string& key) const;
  std::string place(const std::string& key) const;

  nlohmann::json json_;
  std::string where_;  ///< "FILE: " and the keys that lead here
  std::map<std::string, std::string> names_;
  std::map<std::string, std::string> borrowed_;  ///< places of keys in other objects
  std::map<std::string, std::string> assumed_;   ///< what the file has: missing, null
};

}  // namespace axelram::checkpoints
