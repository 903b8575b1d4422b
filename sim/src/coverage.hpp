#pragma once

#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/sim/coverage.hpp"
#include "axelram/sim/driver.hpp"
#include "scoreboard.hpp"

namespace axelram::sim {

/// Scrubs come often enough for a stimulus of their own.
bool scrubs_often(const files::Config& config);

/// Adds the corners and stalls of one phase to the bins (made on the first call). code: null
/// without one.
void add_coverage(const files::Config& config, const NumericCorners& corners,
                  const StallCounts& stalls, const CodeCorners* code,
                  std::vector<CoverageBin>* bins);

/// The bins of a memory behind a code.
std::vector<CoverageBin> code_bins(const files::Config& config, const CodeCorners& corners,
                                   const StallCounts& stalls);

}  // namespace axelram::sim
