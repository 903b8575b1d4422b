#pragma once

#include <string>
#include <vector>

namespace axelram::commands {

struct GenerateOptions {
  std::string config, directory;
  bool force = false;
  bool observe = false;  ///< ports obs_* on the top
};

struct GenerateResult {
  std::string configuration;
  std::string top;  ///< module
  std::string directory;
  std::vector<std::string> files;  ///< relative to the directory
};

/// Writes the RTL of a configuration. Files with the same content stay as they are.
GenerateResult generate(const GenerateOptions& options);

std::string to_json(const GenerateResult& result);

}  // namespace axelram::commands
