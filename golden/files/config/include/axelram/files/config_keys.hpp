#pragma once

#include <string>
#include <vector>

#include "axelram/files/config.hpp"

namespace axelram::files {

/// One configuration key as help and documents show it.
struct ConfigKeyRow {
  std::string section;
  std::string key;
  std::string type;           ///< integer, name, file or flag
  std::string range;          ///< such as "2..4" or "fp16, bf16"; empty for files
  std::string default_value;  ///< empty: the key is absent by default
  std::string help;           ///< one line
  std::string needs;          ///< what it needs to have an effect, which `help` says too; or empty
  std::string former;         ///< "section.key" in earlier versions, still read; or empty
};

/// All keys, in the order of canonical YAML.
std::vector<ConfigKeyRow> config_keys();

/// config_keys() as a Markdown table, which docs/programmers-guide.md contains.
std::string config_keys_markdown();

/// One key that canonical YAML writes, and its value.
struct ConfigSetting {
  std::string section;
  std::string key;
  std::string value;
  bool is_integer;
};
std::vector<ConfigSetting> config_settings(const Config& config);

}  // namespace axelram::files
