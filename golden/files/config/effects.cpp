#include "table.hpp"

namespace axelram::files {
namespace {

/// The value of a key that a document does not have, as canonical YAML shows it.
std::optional<std::string> absent_value(const ConfigKey& key, const Config& config) {
  if (key.absent) return key.absent(config);
  if (!key.set_default) return key.show(Config());
  Config absent = config;
  key.set_default(absent);
  return key.show(absent);
}

}  // namespace

std::string missing(const ConfigKey& key, const Config& config) {
  return key.need.missing ? key.need.missing(config) : "";
}

void check_effects(const Document& document, const std::string& origin, const Config& config) {
  for (const ConfigKey& key : config_table()) {
    const DocumentValue* const value = document.find(key.section, key.name);
    if (value == nullptr) continue;
    const std::string what = missing(key, config);
    if (!what.empty() && key.show(config) != absent_value(key, config))
      fail_at(origin, value->line, key.name + " is " + value->text + ", but " + what);
  }
}

}  // namespace axelram::files
