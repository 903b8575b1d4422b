#pragma once

#include <optional>
#include <string>

#include "constants.hpp"

namespace axelram::commands::tiers {

/// A figure of ADR-004 (references.md#adr-004) and where it stands there.
struct AdrFigure {
  double value = 0;
  std::string place;
};

/// The figures of ADR-004 that are about a model and a cache. Its models are told by layers, query
/// heads, head_dim, batch and context: it has no KV heads.
class AdrFigures {
 public:
  AdrFigures(const TieredCache& cache, const CachedModel& model);

  /// FP16 bytes of all sequences: its memory table and appendix A.
  std::optional<AdrFigure> fp16() const;
  /// Bytes of a tier of all sequences, and of all tiers: appendix A.
  std::optional<AdrFigure> hot() const;
  std::optional<AdrFigure> warm() const;
  std::optional<AdrFigure> archive() const;
  std::optional<AdrFigure> total() const;
  /// How many times smaller than FP16: the cache (appendices A and B), and its archive. Of a range
  /// the lower end.
  std::optional<AdrFigure> compression() const;
  std::optional<AdrFigure> archive_compression() const;

 private:
  struct Size {
    std::uint64_t layers, query_heads, batch, context;
  };
  bool is(const Size& size) const;
  /// Three tiers as it has them: 64 tokens of FP16, 448 of KIVI with 4 bits, an archive.
  bool three_tiers() const;
  bool archive_is(TierFormat format, int bits) const;

  const TieredCache& cache_;
  const CachedModel& model_;
  bool appendix_a_, appendix_b_;
};

}  // namespace axelram::commands::tiers
