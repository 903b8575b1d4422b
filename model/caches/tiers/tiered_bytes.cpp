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

std::vector<ArchivePiece> archive_pieces(TierPart part, const TierSettings& settings,
                                         std::size_t tokens) {
  const TierSizes& sizes = settings.sizes;
  std::vector<ArchivePiece> pieces;
  std::size_t before = 0;
  // What moved until the sequence had `last` tokens.
  const auto add = [&](std::size_t last) {
    const std::size_t now = tier_bounds_ref(sizes, last).archive_end - sizes.sink;
    if (now > before) pieces.push_back({archive_store(part, settings, last), now - before});
    before = now;
  };
  if (!settings.archive)
    for (const std::size_t change : kAutomaticChanges)
      if (change <= tokens) add(change - 1);
  add(tokens);
  return pieces;
}

StoreBytes tiered_store_bytes(const TierSettings& settings, TierPart part, const TierShape& shape,
                              std::size_t tokens) {
  const TierSizes& sizes = settings.sizes;
  StoreBytes bytes =
      store_bytes_ref(part, shape, sizes.sink, tier_bounds_ref(sizes, tokens), tokens,
                      settings.warm, settings.archive.value_or(automatic_archive_ref(tokens)));
  if (settings.archive) return bytes;
  bytes.archive = {};
  const std::size_t block = part == TierPart::keys ? shape.group : 1;
  for (const ArchivePiece& piece : archive_pieces(part, settings, tokens))
    bytes.archive += block_bytes_ref(part, piece.store, shape) * (piece.tokens / block);
  return bytes;
}

}  // namespace axelram::caches
