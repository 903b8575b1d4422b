#include "tier_counts.hpp"

#include <algorithm>

namespace axelram::commands::tiers {

PartCount count_part(TierPart part, const caches::TierSettings& settings, const TierShape& shape,
                     std::size_t tokens) {
  const TierSizes& sizes = settings.sizes;
  const TierBounds bounds = tier_bounds_ref(sizes, tokens);
  PartCount count;
  count.sink = std::min(tokens, sizes.sink);
  count.archive = bounds.archive_end - sizes.sink;
  count.warm = bounds.warm_end - bounds.archive_end;
  count.hot = tokens - count.sink - count.archive - count.warm;
  count.pieces = caches::archive_pieces(part, settings, tokens);
  count.bytes = caches::tiered_store_bytes(settings, part, shape, tokens);
  return count;
}

}  // namespace axelram::commands::tiers
