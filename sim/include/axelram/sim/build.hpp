#pragma once

#include <functional>
#include <string>
#include <vector>

#include "axelram/rtl/generator.hpp"

namespace axelram::sim {

struct BuildOptions {
  bool waves = false;         ///< with FST tracing: slower to build and to run
  bool fast_compile = false;  ///< little optimisation, for models that run only briefly
  /// Receives one line of progress ("verilating", "compiling 3/14"); may be empty.
  std::function<void(const std::string&)> progress;
};

/// Where models are kept: $AXELRAM_CACHE, else $XDG_CACHE_HOME/axelram, else ~/.cache/axelram.
std::string cache_directory();

/// What to compile: SystemVerilog with the C++ that drives it.
struct ModelSource {
  std::vector<rtl::GeneratedFile> files;  ///< the sources below rtl/, and axelram.f naming them
  std::string top;
  std::string parameters;  ///< for Verilator: "-GLanes=128 ..."
  std::string harness;     ///< C++ that exports the library's C interface
};

/// Verilates and compiles into a shared library, and returns its path. The cache is keyed by the
/// sources, the harness and the options, so that the same content is built once; several processes
/// may ask at the same time.
/// Throws files::EnvironmentError where a tool is missing or fails (its output in the message).
std::string build_library(const ModelSource& source, const BuildOptions& options);

/// The library of a generated macro, for RtlModel.
std::string build_model(const std::vector<rtl::GeneratedFile>& generated,
                        const BuildOptions& options);

}  // namespace axelram::sim
