#pragma once

#include <string>

#include "axelram/commands/faults.hpp"
#include "axelram/commands/perplexity.hpp"

namespace axelram::commands {

/// SVG of a result.
std::string plot(const FaultsResult& result);
std::string plot(const PerplexityResult& result);

}  // namespace axelram::commands
