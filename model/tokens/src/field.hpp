#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace axelram::tokens {

/// No vocabulary is larger; a wild id must not take the memory for all ids below it.
inline constexpr std::size_t kMaxIds = std::size_t{1} << 24;

/// A value in a JSON document with its path from the top ("FILE: model.merges[3]"), for messages.
/// Points into the document, which must outlive it.
class Field {
 public:
  Field(const nlohmann::json& json, std::string origin);

  /// An object's member. Throws files::InputError if this is no object.
  Field operator[](const std::string& key) const;
  /// An element of a list.
  Field operator[](std::size_t index) const;

  bool given() const;  ///< present and not null
  bool is_text() const;
  bool is_object() const;

  /// Throw files::InputError for another type, or if it is missing and has no default.
  std::string text() const;
  std::string_view view() const;  ///< text(), as long as the document lives
  bool flag() const;
  bool flag(bool otherwise) const;
  std::int32_t id() const;   ///< of a token: 0 .. 2^24 - 1
  std::size_t size() const;  ///< elements of a list
  const nlohmann::json& object() const;
  const nlohmann::json& list() const;

  /// Throws files::InputError "FILE: path: what".
  [[noreturn]] void fail(const std::string& what) const;
  /// The same, naming the value: "FILE: path: VALUE; advice".
  [[noreturn]] void reject(const std::string& right) const;

 private:
  Field(const nlohmann::json* json, std::string origin, std::string path);

  const nlohmann::json* json_;  ///< null if missing
  std::string origin_;
  std::string path_;
};

}  // namespace axelram::tokens
