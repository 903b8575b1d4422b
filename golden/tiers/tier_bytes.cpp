#include "axelram/tier_bytes.hpp"

#include <algorithm>
#include <stdexcept>

namespace axelram {
namespace {

constexpr std::size_t kHalfBytes = 2;

/// Tokens that a block has.
std::size_t block_tokens(TierPart part, const TierShape& shape) {
  return part == TierPart::keys ? shape.group : 1;
}

}  // namespace

TierStore automatic_archive_ref(std::size_t tokens) {
  if (tokens < kAutomaticChanges[0]) return {TierFormat::kivi, 2};
  if (tokens < kAutomaticChanges[1]) return {TierFormat::squat, 2};
  return {TierFormat::kvquant, 3};
}

TierBytes& TierBytes::operator+=(const TierBytes& other) {
  rows += other.rows;
  codes += other.codes;
  scales += other.scales;
  minima += other.minima;
  outliers += other.outliers;
  return *this;
}

TierBytes TierBytes::operator*(std::size_t times) const {
  return {rows * times, codes * times, scales * times, minima * times, outliers * times};
}

TierBytes block_bytes_ref(TierPart part, const TierStore& store, const TierShape& shape) {
  const bool keys = part == TierPart::keys;
  const std::size_t tokens = block_tokens(part, shape);
  TierBytes block;
  block.codes = tokens * shape.d * static_cast<std::size_t>(store.bits) / 8;
  switch (store.format) {
    case TierFormat::kivi:
    case TierFormat::kivi_nested:
    case TierFormat::squat:
      block.scales = block.minima = kHalfBytes * (keys ? shape.d : shape.d / shape.value_group);
      return block;
    case TierFormat::kvquant:
      block.outliers = tokens * (1 + kHalfBytes) * shape.outliers;
      if (!keys) block.scales = block.minima = kHalfBytes;
      return block;
    case TierFormat::axelram:
      block.scales = tokens * kHalfBytes;
      return block;
  }
  throw std::logic_error("a format of a tier has no bytes");
}

StoreBytes store_bytes_ref(TierPart part, const TierShape& shape, std::size_t sink,
                           const TierBounds& bounds, std::size_t tokens, const TierStore& warm,
                           const TierStore& archive) {
  const std::size_t size = block_tokens(part, shape);
  StoreBytes bytes;
  // Sinks that have not arrived take nothing: both bounds are `sink` then.
  bytes.fp16.rows = kHalfBytes * shape.d * (tokens + sink - bounds.warm_end);
  bytes.warm = block_bytes_ref(part, warm, shape) * ((bounds.warm_end - bounds.archive_end) / size);
  bytes.archive = block_bytes_ref(part, archive, shape) * ((bounds.archive_end - sink) / size);
  return bytes;
}

}  // namespace axelram
