#pragma once

#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/sim/coverage.hpp"
#include "axelram/sim/driver.hpp"
#include "scoreboard.hpp"

namespace axelram::sim {

/// Adds the corners and stalls of one phase to the bins (made on the first call).
void add_coverage(const files::Config& config, const NumericCorners& corners,
                  const StallCounts& stalls, std::vector<CoverageBin>* bins);

}  // namespace axelram::sim
