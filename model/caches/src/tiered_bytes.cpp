#include "axelram/caches/tiered_bytes.hpp"

namespace axelram::caches {

TierStore archive_store(TierPart part, const TierSettings& settings, std::size_t tokens) {
  const TierStore store = settings.archive.value_or(automatic_archive_ref(tokens));
  const bool nested = settings.sizes.warm != 0 && settings.warm == TierStore{TierFormat::kivi, 4} &&
                      store == TierStore{TierFormat::kivi, 2};
  if (nested) return {TierFormat::kivi_nested, 2};
  const bool squat = part == TierPart::values && store.format == TierFormat::squat;
  return squat ? TierStore{TierFormat::kivi, store.bits} : store;
}

StoreBytes tiered_store_bytes(const TierSettings& settings, TierPart part, const TierShape& shape,
                              std::size_t tokens) {
  const TierSizes& sizes = settings.sizes;
  const TierBounds bounds = tier_bounds_ref(sizes, tokens);
  if (settings.archive)
    return store_bytes_ref(part, shape, sizes.sink, bounds, tokens, settings.warm,
                           *settings.archive);
  StoreBytes bytes = store_bytes_ref(part, shape, sizes.sink, {bounds.warm_end, sizes.sink}, tokens,
                                     settings.warm, settings.warm);
  bytes.warm =
      block_bytes_ref(part, settings.warm, shape) *
      ((bounds.warm_end - bounds.archive_end) / (part == TierPart::keys ? shape.group : 1));
  // Each group by the tokens at which it moved.
  const std::size_t blocks = part == TierPart::keys ? sizes.step / shape.group : sizes.step;
  for (std::size_t end = sizes.sink + sizes.step; end <= bounds.archive_end; end += sizes.step)
    bytes.archive +=
        block_bytes_ref(part, automatic_archive_ref(end + sizes.hot + sizes.warm), shape) * blocks;
  return bytes;
}

}  // namespace axelram::caches
