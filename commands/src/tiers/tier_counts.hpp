#pragma once

#include <cstddef>
#include <vector>

#include "axelram/caches/tier_settings.hpp"
#include "axelram/caches/tiered_bytes.hpp"
#include "axelram/tier_bytes.hpp"

namespace axelram::commands::tiers {

/// Keys or values of one sequence, layer and KV head (bit-contract.md#tiers-bytes).
struct PartCount {
  std::size_t sink = 0, archive = 0, warm = 0, hot = 0;  ///< tokens by tier
  std::vector<caches::ArchivePiece> pieces;              ///< of the archive, oldest first
  StoreBytes bytes;

  std::size_t total() const { return bytes.total(); }
};

/// Counts a sequence of `tokens` tokens that were added one by one. shape: its group and
/// value_group are those of `settings`.
PartCount count_part(TierPart part, const caches::TierSettings& settings, const TierShape& shape,
                     std::size_t tokens);

}  // namespace axelram::commands::tiers
