#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
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
  /// Throw files::InputError for a missing key (without a default) or another type or range.
  std::size_t count(const std::string& key) const;  ///< 1 .. 2^31
  std::size_t count(const std::string& key, std::size_t otherwise) const;
  double positive(const std::string& key) const;
  double positive(const std::string& key, double otherwise) const;
  bool flag(const std::string& key, bool otherwise) const;
  std::string text(const std::string& key) const;
  std::string text(const std::string& key, const std::string& otherwise) const;
  std::vector<std::string> texts(const std::string& key) const;
  JsonObject object(const std::string& key) const;
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
};

}  // namespace axelram::checkpoints
