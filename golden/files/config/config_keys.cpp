#include "axelram/files/config_keys.hpp"

#include "table.hpp"

namespace axelram::files {
namespace {

/// Text as Markdown code; nothing for an empty text.
std::string code_span(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

}  // namespace

std::vector<ConfigKeyRow> config_keys() {
  const Config defaults;
  std::vector<ConfigKeyRow> rows;
  for (const ConfigKey& key : config_table())
    rows.push_back({key.section, key.name, key.type, key.range,
                    key.default_value.empty() ? key.show(defaults).value_or("") : key.default_value,
                    key.need.text.empty() ? key.help : key.help + "; needs " + key.need.text,
                    key.need.text,
                    key.former_section.empty() ? "" : key.former_section + "." + key.name});
  return rows;
}

std::string config_keys_markdown() {
  std::string text = "| key | type | range | default | meaning |\n|---|---|---|---|---|\n";
  for (const ConfigKeyRow& row : config_keys())
    text += "| " + code_span(row.section + "." + row.key) + " | " + row.type + " | " + row.range +
            " | " + code_span(row.default_value) + " | " + row.help + " |\n";
  return text;
}

std::vector<ConfigSetting> config_settings(const Config& config) {
  std::vector<ConfigSetting> settings;
  for (const ConfigKey& key : config_table()) {
    if (key.left_out && key.left_out(config)) continue;
    if (const std::optional<std::string> value = key.show(config))
      settings.push_back({key.section, key.name, *value, key.type == "integer"});
  }
  return settings;
}

std::string canonical_yaml(const Config& config) {
  std::string text;
  std::string section;
  for (const ConfigSetting& setting : config_settings(config)) {
    if (setting.section == section) {
      text += ", ";
    } else {
      text += (section.empty() ? "" : "}\n") + setting.section + ": {";
      section = setting.section;
    }
    text += setting.key + ": " + setting.value;
  }
  return text + "}\n";
}

}  // namespace axelram::files
