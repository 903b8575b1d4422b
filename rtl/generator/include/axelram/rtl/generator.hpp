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
/// rtl/common/ (modules that every macro shares, the same in each folder), rtl/*.sv (package, ROMs
/// and top of this macro), axelram.f (sources in order of dependency), axelram.core and
/// axelram_common.core (FuseSoC), axelram.sdc (timing constraints), axelram.json (manifest: every
/// width, constant, latency, port and memory), views/ (for other flows: stubs of the SRAMs, a
/// request for them, a configuration of OpenROAD-flow-scripts), config.yaml (the configuration,
/// with signs.safetensors and other constants if it needs them), tb/ and vectors/ (test bench
/// and what golden expects), README.md (lines that run it).
///
/// Throws files::InputError if the macro's name is too long for names of modules and files.
std::vector<GeneratedFile> generate(const files::Config& config);

/// The same with obs_* ports on the top, which show intermediate values: `axelram generate
/// --observe`. Simulations of this program use it.
std::vector<GeneratedFile> generate_observed(const files::Config& config);

/// Throws files::InputError if the macro has the name of the core of the common modules: FuseSoC
/// would take axelram.core and axelram_common.core for one. Simulations and reports read no core.
void check_core_name(const files::Config& config);

/// Writes the files below `directory`, creating folders. Existing files with other content are an
/// error unless `force`; nothing is written then. Throws files::InputError, EnvironmentError.
void write_generated(const std::vector<GeneratedFile>& generated, const std::string& directory,
                     bool force);

/// Sources of generated files in the order in which tools read them, from their list axelram.f; the
/// last one is the top.
std::vector<std::string> sources_of(const std::vector<GeneratedFile>& generated);

/// Module of the last source.
std::string top_of(const std::vector<std::string>& sources);

/// A hand-written source of the macro, as compiled into this library.
struct Module {
  const char* file;  ///< name with extension
  const char* text;
};

/// All hand-written sources of macros: the package, then modules sorted by name; those of the units
/// that macros are compared with, which also use some of the former.
const std::vector<Module>& modules();
const std::vector<Module>& baseline_modules();

/// Where generated folders keep them.
inline constexpr const char* kCommonFolder = "rtl/common/";

/// A module and what a tool needs with it: the hand-written modules that it uses, headers, and the
/// list axelram.f.
std::vector<GeneratedFile> with_modules(const GeneratedFile& top);

}  // namespace axelram::rtl
