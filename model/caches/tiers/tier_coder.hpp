#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "axelram/caches/cache_site.hpp"
#include "axelram/caches/tier_settings.hpp"
#include "axelram/codebook.hpp"
#include "axelram/files/tier_constants.hpp"
#include "axelram/head_rotation.hpp"
#include "axelram/parameters.hpp"
#include "axelram/unit_table.hpp"

namespace axelram::caches {

/// One coded store of the keys or of the values of a head (bit-contract.md#tier-formats): rows of
/// FP16 to blocks, and blocks to what a query reads. One thread at a time.
class TierCoder {
 public:
  virtual ~TierCoder() = default;
  TierCoder(const TierCoder&) = delete;
  TierCoder& operator=(const TierCoder&) = delete;

  const TierStore& store() const { return store_; }
  std::size_t tokens() const { return tokens_; }  ///< of a block
  std::size_t bytes() const { return bytes_; }    ///< of a block

  /// rows: [tokens(), d], finite FP16. block: bytes().
  virtual void encode(const std::uint16_t* rows, std::uint8_t* block) = 0;
  /// rows: [tokens(), d]: the decoded rows of the contract, a center added.
  virtual void decode(const std::uint8_t* block, float* rows) = 0;

  /// Queries of the next calls of score(), the first of them of token `first`. queries: [count, d],
  /// valid until then.
  virtual void prepare(const float* queries, std::size_t count, std::size_t first) = 0;
  /// scores[i * stride + t] = <q_(begin + i), k_t> of the keys of `count` blocks one after another,
  /// for `queries` queries. Keys are stored after rotary embedding.
  virtual void score(const std::uint8_t* blocks, std::size_t count, std::size_t begin,
                     std::size_t queries, float* scores, std::size_t stride) = 0;

  /// sums[i * d + c] += the sum over `count` rows, in order, of weights[i * stride + t] * v_tc, for
  /// `queries` queries: in FP32 over `group` rows at a time. Of sums_rotated() the rows are rotated
  /// ones.
  virtual void sum(const std::uint8_t* rows, std::size_t count, std::size_t group,
                   const float* weights, std::size_t queries, std::size_t stride, double* sums) = 0;

  /// True if values are summed before they are rotated back.
  virtual bool sums_rotated() const { return false; }

  /// In place: d sums of rotated rows to a vector of the model.
  virtual void rotate_back(double* sums);

 protected:
  TierCoder(const TierStore& store, std::size_t tokens, std::size_t bytes)
      : store_(store), tokens_(tokens), bytes_(bytes) {}

 private:
  TierStore store_;
  std::size_t tokens_, bytes_;
};

/// Constants of the records of one head (bit-contract.md#write-5).
struct RecordConstants {
  Parameters parameters;
  std::shared_ptr<const CodebookRom> rom;
  HeadRotation rotation;
  std::vector<std::uint16_t> center;  ///< of keys alone; d FP16 elements, or none
};

/// Where the coders of a head get their constants from.
class TierSource {
 public:
  virtual ~TierSource() = default;
  /// Of a store with that many bits of an index, for keys or for values.
  virtual RecordConstants records(int bits, const CacheSite& site) const = 0;
  /// Null if no store needs them.
  virtual const files::TierConstants* constants() const = 0;
};

/// What is the same for all coders of a head.
struct TierHead {
  const TierSettings& settings;
  std::size_t d;
  CacheSite site;
  const TierSource& source;
  const UnitTable& units;
  std::shared_ptr<const void> owner = {};  ///< of settings and source; without one both must stay
};

/// The coder of a store. Values of `squat` are those of `kivi`.
std::unique_ptr<TierCoder> make_tier_coder(const TierStore& store, const TierHead& head);

/// The coder of records.
std::unique_ptr<TierCoder> make_record_coder(const TierStore& store, const TierHead& head);

}  // namespace axelram::caches
