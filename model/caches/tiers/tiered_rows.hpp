#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "axelram/caches/tiered_bytes.hpp"
#include "axelram/tier_bytes.hpp"
#include "axelram/tiers.hpp"
#include "tiers/tier_coder.hpp"
#include "tiers/tier_pieces.hpp"

namespace axelram::caches {

/// The blocks of tokens that moved together.
struct TierGroup {
  TierCoder* coder = nullptr;
  const std::uint8_t* blocks = nullptr;
};

/// Tokens begin .. end - 1; none if end <= begin.
struct TokenRange {
  std::size_t begin, end;
};

/// A run of tokens as some queries see them.
struct TierForm {
  std::size_t first, tokens;  ///< of the sequence
  /// Queries that see `from` .. `until` - 1 tokens see the first `group` tokens so, those that see
  /// `group` more tokens the next ones.
  std::size_t from, until, group;
  TierGroup coded = {};                             ///< or, without a coder,
  const TierPieces<std::uint16_t>* rows = nullptr;  ///< FP16,
  std::size_t row = 0;                              ///< from this one on
  /// The queries that see any of it.
  std::size_t first_query = 0, queries = 0;

  /// The tokens that query `query` sees so.
  TokenRange seen(std::size_t query) const;
};

/// The keys or the values of one head in tiers (bit-contract.md#tiers-plan). A query meets the
/// tiers of its own token, in whatever order rows are written and scored: each form of tokens
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
  const UnitTable& units() const { return head_.units; }
  const TierBounds& bounds() const { return plan_.bounds(); }
  /// FP16 rows that moved, or will, those behind the sinks.
  const TierPieces<std::uint16_t>& moving() const { return moving_; }
  /// Groups of `step` tokens that moved there, the first one behind the sinks.
  std::size_t warm_groups() const { return warm_groups_.count(); }
  std::size_t archived_groups() const;
  /// The first group that has warm blocks still.
  std::size_t first_warm_group() const { return warm_groups_.first(); }
  TierGroup warm_group(std::size_t group) const;
  TierGroup archived_group(std::size_t group) const;
  /// Null without a warm tier.
  TierCoder* warm() const { return warm_.get(); }
  /// The coders of groups, each once.
  std::vector<TierCoder*> coders() const;

  /// The forms of tokens from `oldest` on that queries of tokens `first` .. `first` + `count` - 1
  /// see. Each query meets its tokens in order. A form has at most kPiece tokens, or one block.
  std::vector<TierForm> forms(std::size_t oldest, std::size_t first, std::size_t count) const;

  /// Bytes of a sequence of `tokens` tokens between calls.
  StoreBytes stored_bytes(std::size_t tokens) const {
    return tiered_store_bytes(head_.settings, part(), shape_, tokens);
  }
  /// Bytes of the buffers that live, by tier and kind.
  StoreBytes live() const;
  /// Bytes that are allocated for these buffers and to find them: what grows with the tokens.
  std::size_t allocated() const;

  static constexpr std::size_t kPiece = 64, kNever = ~std::size_t{0};

 private:
  TierPart part() const { return head_.site.value ? TierPart::values : TierPart::keys; }
  /// Groups of the archive that have the same coder.
  struct Archive {
    TierCoder* coder;
    std::size_t first;  ///< group
    TierPieces<std::uint8_t> groups;
  };

  void move(std::size_t tokens);
  static constexpr std::size_t kAnyTokens = std::size_t{1} << 30;
  /// For groups of which about `tokens` tokens are held.
  TierPieces<std::uint8_t> groups_of(const TierCoder* coder, std::size_t tokens) const;
  void encode(TierCoder* coder, const std::vector<std::uint16_t>& rows, std::uint8_t* blocks) const;
  void archive(std::size_t group, std::size_t tokens);
  void nest(const std::uint8_t* warm, const TierCoder& coder, std::uint8_t* blocks) const;
  /// FP16 rows of a group as they were written.
  std::vector<std::uint16_t> written(std::size_t group) const;
  /// FP16 rows of a group in the warm tier (bit-contract.md#tier-rows).
  std::vector<std::uint16_t> recoded(const std::uint8_t* warm) const;
  /// The coder of an archive, made when it is first asked for.
  TierCoder* archive_coder(const TierStore& store);

  TierHead head_;
  std::size_t d_;
  TierShape shape_;
  TierPlan plan_;
  std::unique_ptr<TierCoder> warm_;
  std::vector<std::pair<TierStore, std::unique_ptr<TierCoder>>> archives_;
  std::size_t tokens_ = 0;
  std::size_t settled_ = 0;  ///< queries that see fewer tokens are gone
  TierPieces<std::uint16_t> sinks_, moving_;
  TierPieces<std::uint8_t> warm_groups_;
  std::vector<Archive> archive_;  ///< in order of groups
};

}  // namespace axelram::caches
