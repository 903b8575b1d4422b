#pragma once

#include "axelram/commands/perplexity.hpp"
#include "plot.hpp"

namespace axelram::cli {

using PerplexityReport = commands::PerplexityResult;
using commands::perplexity_of;
using commands::PerplexityRun;

/// Perplexities of the runs as points, with their mean, its interval and the baseline.
Plot perplexity_plot(const PerplexityReport& report);

}  // namespace axelram::cli
