#pragma once

#include <string>
#include <vector>

#include "axelram/files/config.hpp"

namespace axelram::rtl {

struct GeneratedFile {
  std::string path;  ///< relative to the output folder, '/' between parts
  std::string text;
};

/// Output of `axelram generate`, sorted by path. The same configuration gives the same bytes:
/// rtl/*.sv (modules, package, ROMs, top), axelram.f (sources in order of dependency), axelram.core
/// (FuseSoC), axelram.sdc (timing constraints), axelram.json (manifest: every width, constant,
/// latency and port), config.yaml (the configuration, with signs.safetensors and center.safetensors
/// if it needs them).
std::vector<GeneratedFile> generate(const files::Config& config);

/// Writes the files below `directory`, creating folders. Existing files with other content are an
/// error unless `force`; nothing is written then. Throws files::InputError, EnvironmentError.
void write_generated(const std::vector<GeneratedFile>& generated, const std::string& directory,
                     bool force);

/// A hand-written module of the macro, as compiled into this library.
struct Module {
  const char* name;  ///< file name without .sv
  const char* text;
};

/// All hand-written modules, sorted by name.
const std::vector<Module>& modules();

}  // namespace axelram::rtl
