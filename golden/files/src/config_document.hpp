#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace axelram::files {

/// Far more than any configuration needs.
constexpr std::size_t kMaxConfigBytes = 65536;

struct ConfigValue {
  std::string key;
  int line = 0;  ///< from 1
  std::string text;
  bool plain = true;  ///< false: in quotation marks, or a block of text
};

struct ConfigSection {
  std::string name;
  int line = 0;
  std::vector<ConfigValue> values;

  const ConfigValue* find(const std::string& key) const;
};

/// A configuration's form, names not yet known: a map of maps of single values.
struct ConfigDocument {
  std::vector<ConfigSection> sections;

  const ConfigSection* find(const std::string& name) const;
};

/// Throws InputError for all that is not exactly that: YAML errors, repeated keys, lists, deeper
/// maps, empty values, anchors, aliases, tags, several documents. Nothing at all, or null, is an
/// empty document.
ConfigDocument parse_document(const std::string& text, const std::string& origin);

}  // namespace axelram::files
