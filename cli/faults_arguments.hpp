#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "axelram/commands/faults.hpp"

namespace axelram::cli {

/// The command line of `axelram faults`.
struct FaultsArguments {
  commands::FaultsOptions run;
  std::string ber, burst, upset_rate, stuck;  ///< lists
  std::string codes, erasures;                ///< lists; "": those of the configuration
  std::string replay;                         ///< a dumped case, instead of a campaign
  bool single_flips = false, interleave = false, details = false;
};

void declare_faults(CLI::App* command, FaultsArguments* arguments);

/// Fills `run` from the lists. Throws CLI::ValidationError unless exactly one fault model, or a
/// case to replay, is named.
void complete_faults(const CLI::App& command, FaultsArguments* arguments);

}  // namespace axelram::cli
