#pragma once

#include <cstddef>
#include <vector>

#include "axelram/transformer/kv_cache.hpp"
#include "specification/kind.hpp"
#include "tiers/tiered_rows.hpp"

namespace axelram::caches {

/// A key or a value cache in tiers.
template <class Interface>
class TieredHead : public Interface {
 public:
  explicit TieredHead(const TierHead& head) : rows_(head) {}

  void begin(std::uint32_t) override { rows_.begin(); }
  void write(const float* rows, std::size_t count) override { rows_.write(rows, count); }
  void inject(double, std::uint64_t) override { reject_faults("tiered"); }
  void settle() override { rows_.settle(); }
  double bytes_per_token() const override { return bytes(1); }
  double bytes(std::size_t tokens) const override {
    return static_cast<double>(rows_.stored_bytes(tokens).total());
  }

  const TieredRows& rows() const { return rows_; }

 protected:
  TieredRows rows_;
};

/// Keys in tiers, scored as their queries meet them (bit-contract.md#tier-reading). No score
/// depends on the queries and keys beside it.
class TieredKeys : public TieredHead<transformer::KeyCache> {
 public:
  using TieredHead::TieredHead;

  void turn_by(const transformer::KeyTurn& turn) override { turn_ = turn; }
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override;

 private:
  /// Scores of the tokens of a form for its queries, [queries, tokens].
  const float* score(const TierForm& form, const float* queries, std::size_t begin,
                     std::size_t count);

  transformer::KeyTurn turn_;
  std::vector<float> decoded_, scores_;
};

/// Values in tiers.
class TieredValues : public TieredHead<transformer::ValueCache> {
 public:
  using TieredHead::TieredHead;

  void weighted_sum(const float* weights, std::size_t count, std::size_t first, std::size_t oldest,
                    std::size_t stride, float* out) override;

 private:
  std::vector<float> decoded_, weights_, piece_;
  std::vector<double> sums_;
};

/// FP32 rows of a form, as the contract decodes them.
void read_form(const TierForm& form, std::size_t d, std::vector<float>* rows);

}  // namespace axelram::caches
