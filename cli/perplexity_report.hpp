#pragma once

#include <string>

#include "axelram/commands/perplexity.hpp"

namespace axelram::cli {

using PerplexityReport = commands::PerplexityResult;
using commands::perplexity_of;
using commands::PerplexityRun;

/// Perplexity of each run, their mean with its interval, and the baseline, as SVG.
std::string perplexity_plot(const PerplexityReport& report);

}  // namespace axelram::cli
