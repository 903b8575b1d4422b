#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "documents/sections.hpp"

namespace axelram::files {

/// Largest layer and head: layer * 2^20 + head numbers the sign vectors.
constexpr int kMaxLayer = (1 << 20) - 1;

/// Condition under which a key has an effect. Elsewhere only the value of an absent key is
/// accepted.
struct Need {
  std::string text;  ///< as documents show it: "a code"; empty: the key always has an effect
  /// Returns the end of the message "KEY is VALUE, but ...": what is missing, and what would help.
  /// Returns "" if the key has an effect. Null: it always has.
  std::function<std::string(const Config& config)> missing;
};

/// One row of the table of configuration keys.
struct ConfigKey {
  std::string section;
  std::string name;
  std::string help;
  std::string type;   ///< integer, integers (a list), name, file or flag
  std::string range;  ///< as documents show it
  /// Sets the member from a value in the document. Throws InputError.
  std::function<void(const DocumentValue& value, const std::string& origin, Config& config)> read;
  /// Value in canonical YAML; nothing if the key is absent.
  std::function<std::optional<std::string>(const Config& config)> show;
  /// Value if the key is absent, for documents; empty: show() of a default Config.
  std::string default_value;
  /// Sets a default that depends on earlier keys; null: the member keeps the default of its struct.
  std::function<void(Config& config)> set_default;
  std::string former_section{};  ///< of the key in earlier versions, still read; or empty
  Need need{};
  /// Whether canonical text leaves the key out although it has a value; null: never.
  std::function<bool(const Config& config)> left_out{};
  /// show() of the value that an absent key has; null: by set_default, or of a default Config.
  std::function<std::optional<std::string>(const Config& config)> absent{};
};

/// The table, in the order of canonical YAML. Keys of one section are adjacent. A row that depends
/// on other keys follows them.
const std::vector<ConfigKey>& config_table();

/// Returns Need::missing of a key, or "".
std::string missing(const ConfigKey& key, const Config& config);

/// Rejects each value that has no effect and is not that of an absent key. Throws InputError with
/// the line.
void check_effects(const Document& document, const std::string& origin, const Config& config);

/// The section that has a key of this name, or "".
std::string section_of(const std::string& key);

/// True if the value of this key is a list.
bool takes_list(const std::string& section, const std::string& key);

constexpr SectionRules kConfiguration = {
    {"a configuration", "macro: {head_dim: 128}", "{\"macro\": {\"head_dim\": 128}}"},
    section_of,
    takes_list};

}  // namespace axelram::files
