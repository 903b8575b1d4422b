#pragma once

#include <cstddef>

#include "axelram/caches/tier_settings.hpp"

namespace axelram::caches {

/// Bytes that a tiered cache of a sequence takes between calls (bit-contract.md#tiers-bytes).
/// shape.outliers: of the calibration.
StoreBytes tiered_store_bytes(const TierSettings& settings, TierPart part, const TierShape& shape,
                              std::size_t tokens);

}  // namespace axelram::caches
