#pragma once

#include <cstddef>
#include <vector>

#include "axelram/caches/tier_settings.hpp"

namespace axelram::caches {

/// The store of what moves into the archive when a sequence has `tokens` tokens: nested behind a
/// warm tier of four bits (bit-contract.md#kivi-nested). Values of SQuat are those of KIVI.
TierStore archive_store(TierPart part, const TierSettings& settings, std::size_t tokens);

/// Tokens of the archive with one store.
struct ArchivePiece {
  TierStore store;
  std::size_t tokens = 0;
};

/// The archive of a sequence of `tokens` tokens, the oldest first; `auto` gives up to three pieces.
std::vector<ArchivePiece> archive_pieces(TierPart part, const TierSettings& settings,
                                         std::size_t tokens);

/// Bytes that a tiered cache of a sequence takes between calls (bit-contract.md#tiers-bytes).
/// shape.outliers: of the calibration.
StoreBytes tiered_store_bytes(const TierSettings& settings, TierPart part, const TierShape& shape,
                              std::size_t tokens);

}  // namespace axelram::caches
