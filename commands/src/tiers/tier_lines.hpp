#pragma once

#include <vector>

#include "axelram/report/report.hpp"
#include "constants.hpp"

namespace axelram::commands::tiers {

/// "kivi4", "kivi2, nested".
std::string store_text(const TierStore& store);

/// The lines of `axelram report --tiers`: tokens by tier, bytes by tier and kind, sums beside FP16
/// and beside ADR-004's figures, constants. All of them are counted.
std::vector<report::Line> tier_lines(const TieredCache& cache, const CachedModel& model);

}  // namespace axelram::commands::tiers
