#pragma once

#include <cstddef>
#include <vector>

#include "axelram/caches/tier_settings.hpp"
#include "axelram/transformer/kv_cache.hpp"
#include "tiered_rows.hpp"

namespace axelram::caches {

/// Keys in tiers, scored as their queries meet them (bit-contract.md#tier-reading). No score
/// depends on the queries and keys beside it.
class TieredKeys : public transformer::KeyCache {
 public:
  explicit TieredKeys(const TierHead& head);

  void begin(std::uint32_t) override { rows_.begin(); }
  void write(const float* rows, std::size_t count) override { rows_.write(rows, count); }
  void inject(double p, std::uint64_t seed) override;
  void settle() override { rows_.settle(); }
  void turn_by(const transformer::KeyTurn& turn) override { turn_ = turn; }
  double bytes_per_token() const override;
  double bytes(std::size_t tokens) const override;
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t oldest,
             std::size_t stride, float* scores) override;

  const TieredRows& rows() const { return rows_; }

 private:
  /// Scores of the tokens of a form for its queries, [queries, tokens].
  const float* score(const TierForm& form, const float* queries, std::size_t begin,
                     std::size_t count);

  TierSettings settings_;
  TieredRows rows_;
  transformer::KeyTurn turn_;
  std::vector<float> decoded_, scores_;
};

/// Values in tiers.
class TieredValues : public transformer::ValueCache {
 public:
  explicit TieredValues(const TierHead& head);

  void begin(std::uint32_t) override { rows_.begin(); }
  void write(const float* rows, std::size_t count) override { rows_.write(rows, count); }
  void inject(double p, std::uint64_t seed) override;
  void settle() override { rows_.settle(); }
  double bytes_per_token() const override;
  double bytes(std::size_t tokens) const override;
  void weighted_sum(const float* weights, std::size_t count, std::size_t first, std::size_t oldest,
                    std::size_t stride, float* out) override;

  const TieredRows& rows() const { return rows_; }

 private:
  TierSettings settings_;
  TieredRows rows_;
  std::vector<float> decoded_, weights_, piece_;
  std::vector<double> sums_;
};

/// FP32 rows of a form, as the contract decodes them.
void read_form(const TierForm& form, std::size_t d, std::vector<float>* rows);

}  // namespace axelram::caches
