#include "tier_counts.hpp"

#include <algorithm>

#include "axelram/caches/tiered_bytes.hpp"

namespace axelram::commands::tiers {
namespace {

/// Tokens that are in the archive of a sequence of `tokens` tokens.
std::size_t archived(const TierSizes& sizes, std::size_t tokens) {
  return tier_bounds_ref(sizes, tokens).archive_end - sizes.sink;
}

/// Runs of blocks with one store. With `auto` the store changes where automatic_archive_ref does.
std::vector<ArchivePiece> archive_pieces(TierPart part, const caches::TierSettings& settings,
                                         std::size_t tokens) {
  constexpr std::size_t kChanges[] = {2048, 8192};
  std::vector<ArchivePiece> pieces;
  std::size_t before = 0;
  const auto add = [&](std::size_t last) {
    const std::size_t now = archived(settings.sizes, last);
    if (now > before) pieces.push_back({caches::archive_store(part, settings, last), now - before});
    before = now;
  };
  if (!settings.archive)
    for (const std::size_t change : kChanges)
      if (change <= tokens) add(change - 1);
  add(tokens);
  return pieces;
}

}  // namespace

PartCount count_part(TierPart part, const caches::TierSettings& settings, const TierShape& shape,
                     std::size_t tokens) {
  const TierSizes& sizes = settings.sizes;
  const TierBounds bounds = tier_bounds_ref(sizes, tokens);
  PartCount count;
  count.sink = std::min(tokens, sizes.sink);
  count.archive = bounds.archive_end - sizes.sink;
  count.warm = bounds.warm_end - bounds.archive_end;
  count.hot = tokens - count.sink - count.archive - count.warm;
  count.pieces = archive_pieces(part, settings, tokens);
  count.bytes = caches::tiered_store_bytes(settings, part, shape, tokens);
  return count;
}

}  // namespace axelram::commands::tiers
