#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "axelram/commands/calibrate.hpp"

namespace axelram::cli {

/// --tiers and what belongs to it.
void declare_tiers(CLI::App* command, commands::CalibrateOptions* options);

/// Figures of the constants of tiers; "" without them.
std::string tiers_text(const commands::CalibrateResult& run);

}  // namespace axelram::cli
