#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "axelram/caches/tiered_bytes.hpp"
#include "axelram/tier_bytes.hpp"
#include "axelram/tiers.hpp"
#include "tier_coder.hpp"

namespace axelram::caches {

/// Tokens that move together, and what each tier made of them.
struct TierGroup {
  static constexpr std::size_t kNever = ~std::size_t{0};

  std::vector<std::uint16_t> rows;          ///< FP16 [tokens, d]
  std::vector<std::uint8_t> warm, archive;  ///< blocks one after another
  /// Queries that see so many tokens, or more, see the group there.
  std::size_t warm_from = kNever, archive_from = kNever;
  TierCoder* coder = nullptr;  ///< of the archive

  /// Of the archive. An archive of the warm tier's store has its bytes.
  const std::vector<std::uint8_t>& archived(const TierCoder* warm_coder) const {
    return coder == warm_coder ? warm : archive;
  }
};

/// A run of tokens as some queries see them.
struct TierForm {
  std::size_t first, tokens;            ///< of the sequence
  std::size_t from, until;              ///< queries that see `from` .. `until` - 1 tokens
  const std::uint16_t* rows = nullptr;  ///< FP16, or
  TierCoder* coder = nullptr;           ///< the coder of
  const std::uint8_t* blocks = nullptr;
};

/// The keys or the values of one head in tiers (bit-contract.md#tiers-plan). A query meets the
/// tiers of its own token, in whatever order rows are written and scored: each form of a group
/// stays until settle().
class TieredRows {
 public:
  explicit TieredRows(const TierHead& head);

  void begin();
  /// Appends `count` rows of d floats, and moves what their tokens move. Throws files::InputError,
  /// and appends nothing, for a value that FP16 cannot hold.
  void write(const float* rows, std::size_t count);
  /// Drops what only queries of tokens before the last one see.
  void settle();

  std::size_t tokens() const { return tokens_; }
  std::size_t width() const { return d_; }
  const TierSizes& sizes() const { return plan_.sizes(); }
  const TierShape& shape() const { return shape_; }
  const TierBounds& bounds() const { return plan_.bounds(); }
  /// Of `step` tokens each, the first ones behind the sinks; the last one may have fewer.
  const std::vector<TierGroup>& groups() const { return groups_; }
  /// Null without a warm tier.
  TierCoder* warm() const { return warm_.get(); }
  /// The coders of groups, each once.
  std::vector<TierCoder*> coders() const;

  /// The forms of tokens from `oldest` on that queries of tokens `first` .. `first` + `count` - 1
  /// see, in order of tokens. A form has at most kPiece tokens, or one block.
  std::vector<TierForm> forms(std::size_t oldest, std::size_t first, std::size_t count) const;

  /// Bytes that a sequence of so many tokens takes between calls.
  StoreBytes stored_bytes(std::size_t tokens) const {
    return tiered_store_bytes(head_.settings, part(), shape_, tokens);
  }
  /// Bytes of the buffers that live, by tier and kind.
  StoreBytes live() const;
  /// Bytes that are allocated for these buffers.
  std::size_t allocated() const;

  static constexpr std::size_t kPiece = 64;

 private:
  TierPart part() const { return head_.site.value ? TierPart::values : TierPart::keys; }
  void append(const std::uint16_t* row);
  void move(std::size_t tokens);
  std::vector<std::uint8_t> encode(TierCoder* coder, const std::vector<std::uint16_t>& rows) const;
  void archive(TierGroup* group, std::size_t tokens);
  void nest(TierGroup* group) const;
  /// FP16 rows of a group in the warm tier (bit-contract.md#tier-rows).
  std::vector<std::uint16_t> recoded(const TierGroup& group) const;
  /// The coder of an archive, made when it is first asked for.
  TierCoder* archive_coder(const TierStore& store);

  TierHead head_;
  std::size_t d_;
  TierShape shape_;
  TierPlan plan_;
  std::unique_ptr<TierCoder> warm_;
  std::vector<std::pair<TierStore, std::unique_ptr<TierCoder>>> archives_;
  std::size_t tokens_ = 0;
  /// FP16 of sinks that arrived, [kPiece, d] each; the last one may have fewer rows.
  std::vector<std::vector<std::uint16_t>> sinks_;
  std::vector<TierGroup> groups_;
  std::size_t warm_groups_ = 0, archived_groups_ = 0;  ///< that moved there
  std::size_t settled_ = 0;  ///< groups before it have their archived form alone
};

}  // namespace axelram::caches
