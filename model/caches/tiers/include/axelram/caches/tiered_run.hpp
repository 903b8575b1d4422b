#pragma once

#include "axelram/caches/specification.hpp"
#include "axelram/fast.hpp"
#include "axelram/files/tier_result.hpp"
#include "axelram/files/tier_trace.hpp"

namespace axelram::caches {

/// Puts one layer and KV head through tiers (bit-contract.md#tier-result). Throws files::InputError
/// for caches without tiers, for constants that do not fit the trace, and for a query of a record
/// tier that FP16 does not hold.
files::TierResult run_tiers(const Specification& specification, const files::TierTrace& trace,
                            const UnitTable& units = fast_units());

/// True if keys are stored before rotary embedding. Throws files::InputError for caches without
/// tiers.
bool stores_keys_before_rotary(const Specification& specification);

}  // namespace axelram::caches
