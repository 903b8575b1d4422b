#pragma once

#include "axelram_rows.hpp"
#include "causal.hpp"

namespace axelram::caches {

/// Keys scored as the macro scores them.
class AxelramKeys : public transformer::KeyCache {
 public:
  AxelramKeys(const AxelramUnits& units, const Place& place);

  void begin(std::uint32_t sequence) override { rows_.begin(sequence); }
  void write(const float* rows, std::size_t count) override { rows_.write(rows, count); }
  void inject(double p, std::uint64_t seed) override { rows_.inject(p, seed); }
  transformer::MemoryEvents events() const override { return rows_.memory().events(); }
  double bytes_per_token() const override { return rows_.bytes_per_row(); }
  void score(const float* queries, std::size_t count, std::size_t first, std::size_t stride,
             float* scores) override;

 private:
  AxelramRows rows_;
  ElementRow element_row_;
  QueryResult query_;
};

/// Values summed before they are rotated back: with k = norm * score_scale * diag(s) H C[idx]
/// (bit contract, read path step 5) one rotation serves all tokens.
class AxelramValues : public transformer::ValueCache {
 public:
  AxelramValues(const AxelramUnits& units, const Place& place);

  void begin(std::uint32_t sequence) override { rows_.begin(sequence); }
  void write(const float* rows, std::size_t count) override;
  void inject(double p, std::uint64_t seed) override { rows_.inject(p, seed); }
  transformer::MemoryEvents events() const override { return rows_.memory().events(); }
  double bytes_per_token() const override { return rows_.bytes_per_row(); }
  void weighted_sum(const float* weights, std::size_t count, std::size_t first, std::size_t stride,
                    float* out) override;

 private:
  /// rotated: d floats norm * C[idx].
  void unpack(const std::uint8_t* record, float* rotated) const;
  void inverse_rotate(float* rotated);

  std::size_t d_;
  AxelramRows rows_;
  CausalProducts products_;
  std::vector<float> rotated_;  ///< [rows, d]
  std::vector<float> last_, scratch_, scale_;
};

}  // namespace axelram::caches
