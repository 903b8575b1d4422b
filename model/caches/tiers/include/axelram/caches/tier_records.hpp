#pragma once

#include <cstddef>
#include <string>

#include "axelram/files/config.hpp"

namespace axelram::caches {

/// Throws files::InputError, which names `file`, for a configuration whose records a tier with
/// heads of d elements does not hold (bit-contract.md#tier-records).
void check_tier_records(const std::string& file, const files::Config& config, std::size_t d);

}  // namespace axelram::caches
