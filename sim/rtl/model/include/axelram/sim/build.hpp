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
  bool covers = false;  ///< with counters of the RTL's covers
  /// With VCD in place of FST tracing, of memories as well as far as they are not deep.
  bool vcd = false;
};

/// Directory of compiled models: $AXELRAM_CACHE, else $XDG_CACHE_HOME/axelram, else
/// ~/.cache/axelram.
std::string cache_directory();

/// SystemVerilog and the C++ that drives it.
struct ModelSource {
  std::vector<rtl::GeneratedFile> files;  ///< sources in rtl/, and axelram.f with their names
  std::string top;
  std::string parameters;  ///< for Verilator: "-GLanes=128 --prefix Vname ..."
  std::string harness;     ///< C++ that exports the C interface of the library
};

/// Verilates and compiles into a shared library, and returns its path. The cache is keyed by
/// sources, harness and options, so that the same content is built once. Several processes may call
/// it at the same time.
/// Throws files::EnvironmentError if a tool is missing or fails (with its output in the message).
std::string build_library(const ModelSource& source, const BuildOptions& options);

/// Library of a macro for RtlModel, from rtl::generate_observed() or a change of it.
std::string build_model(const std::vector<rtl::GeneratedFile>& generated,
                        const BuildOptions& options);

}  // namespace axelram::sim
