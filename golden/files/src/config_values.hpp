#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config_document.hpp"

namespace axelram::files {

/// One section's values by type. Each function returns the default where the key is absent and
/// throws InputError ("FILE:LINE: ...") where its value is not of the type or out of range.
class ConfigValues {
 public:
  ConfigValues(const ConfigDocument& document, const std::string& section,
               const std::string& origin)
      : section_(document.find(section)), origin_(origin) {}

  const ConfigValue* find(const std::string& key) const {
    return section_ ? section_->find(key) : nullptr;
  }

  /// A whole number: decimal digits alone, a minus sign before them, no leading zeros.
  int integer(const std::string& key, int fallback, int low, int high) const;
  std::uint64_t unsigned_integer(const std::string& key, std::uint64_t fallback) const;
  std::string choice(const std::string& key, const std::string& fallback,
                     const std::vector<std::string>& choices) const;
  /// none, or a name that make_code knows.
  std::string code(const std::string& key, const std::string& fallback) const;
  std::string text(const std::string& key) const;  ///< "" where absent, an error where empty
  bool flag(const std::string& key) const;         ///< `true` is the only value

  /// What is wrong with a key that is present.
  [[noreturn]] void fail(const ConfigValue& value, const std::string& what) const;

 private:
  const ConfigSection* section_;
  const std::string& origin_;
};

}  // namespace axelram::files
