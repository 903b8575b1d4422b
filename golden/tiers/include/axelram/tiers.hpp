#pragma once

#include <cstddef>

namespace axelram {

// Which tier of a tiered cache a token is in (bit-contract.md#tiers-plan). Tokens [0, sink) are
// FP16 for ever, [sink, archive_end) archive, [archive_end, warm_end) warm, and the others hot,
// FP16 too.

/// In tokens; each below 2^30.
struct TierSizes {
  std::size_t hot = 64;    ///< newest tokens in FP16, at least; >= 1
  std::size_t warm = 448;  ///< tokens between hot and archive
  std::size_t step = 32;   ///< tokens that move together; >= 1
  std::size_t sink = 0;    ///< first tokens that never move

  bool operator==(const TierSizes& other) const {
    return hot == other.hot && warm == other.warm && step == other.step && sink == other.sink;
  }
};

/// sink <= archive_end <= warm_end. With fewer than `sink` tokens both are `sink`.
struct TierBounds {
  std::size_t warm_end = 0;     ///< w: the first hot token
  std::size_t archive_end = 0;  ///< a: the first warm token

  bool operator==(const TierBounds& other) const {
    return warm_end == other.warm_end && archive_end == other.archive_end;
  }
};

/// Throws std::invalid_argument for sizes out of range, by name.
void check_tier_sizes(const TierSizes& sizes);

/// Bounds of a sequence of `tokens` tokens whose sizes never changed.
TierBounds tier_bounds_ref(const TierSizes& sizes, std::size_t tokens);

/// Bounds during a sequence. Neither ever moves back.
class TierPlan {
 public:
  /// Throws as check_tier_sizes.
  explicit TierPlan(const TierSizes& sizes);

  /// Bounds that a query of token `tokens` - 1 sees. tokens: not less than before.
  const TierBounds& advance(std::size_t tokens);

  /// Moves all whole steps out of the hot tier. The archive stays.
  const TierBounds& flush();

  /// Other sizes from the next advance on. Throws as check_tier_sizes, and for another step or
  /// sink: the blocks that exist begin at them.
  void resize(const TierSizes& sizes);

  const TierSizes& sizes() const { return sizes_; }
  const TierBounds& bounds() const { return bounds_; }
  std::size_t tokens() const { return tokens_; }

 private:
  TierSizes sizes_;
  TierBounds bounds_;
  std::size_t tokens_ = 0;
};

}  // namespace axelram
