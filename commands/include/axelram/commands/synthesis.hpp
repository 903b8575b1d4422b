#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/commands/progress.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"
#include "axelram/report/report.hpp"
#include "axelram/report/token.hpp"

namespace axelram::commands {

/// Measurements by Yosys and OpenSTA that a report takes, and the model of section "a token".
struct SynthesisOptions {
  bool netlist = false;       ///< count operators with Yosys; takes half a minute
  bool synthesize = false;    ///< and measure gates; takes minutes
  std::string liberty;        ///< map to this library, a file or a name that axelram knows
  std::string corner;         ///< of the library; "": its own
  double period = 6;          ///< ns, that mapping aims at, and of section "a token"
  std::uint64_t threads = 0;  ///< 0: one for each core
  std::optional<report::ModelShape> shape;  ///< of the model in section "a token"

  report::Synthesis level() const;
};

/// The report of a configuration. Throws files::InputError for a library that cannot be mapped to,
/// files::EnvironmentError for a tool that is missing or fails.
std::vector<report::Line> report_lines(const files::Config& config,
                                       const std::optional<files::Trace>& trace,
                                       const SynthesisOptions& options,
                                       const Progress& progress = {});

}  // namespace axelram::commands
