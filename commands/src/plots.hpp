#pragma once

#include "axelram/commands/faults.hpp"
#include "axelram/commands/perplexity.hpp"
#include "plot.hpp"

namespace axelram::commands {

/// Plot of a result.
cli::Plot plot(const FaultsResult& result);
cli::Plot plot(const PerplexityResult& result);

}  // namespace axelram::commands
