#pragma once

#include <map>
#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/sim/coverage.hpp"
#include "axelram/sim/driver.hpp"
#include "verify/macro/corners.hpp"

namespace axelram::sim {

/// True if scrubs are frequent enough for a separate stimulus.
bool scrubs_often(const files::Config& config);

/// The stimulus has a key whose unbiased norm lies half-way between two FP16 values.
bool has_scale_tie(const files::Config& config);

/// Adds the corners and stalls of one phase to the bins, which the first call creates. `code` is
/// null without a code.
void add_coverage(const files::Config& config, const NumericCorners& corners,
                  const StallCounts& stalls, const CodeCorners* code,
                  std::vector<CoverageBin>* bins);

/// Adds the hits of the RTL's covers, by label, to the bins of the same label.
void add_covers(const std::map<std::string, std::uint64_t>& covers, std::vector<CoverageBin>* bins);

}  // namespace axelram::sim
