#pragma once

#include <string>

#include "axelram/files/config.hpp"

namespace axelram::commands {

/// A configuration and the file that it stands in.
struct ConfigFile {
  std::string path;
  files::Config config;
};

/// Reads the configuration that a user names: a file or a shipped configuration. Throws
/// files::InputError.
ConfigFile read_any_config(const std::string& file_or_name);

}  // namespace axelram::commands
