#pragma once

#include <cstddef>
#include <vector>

namespace axelram::caches {

/// Matrix products of KeyCache::score and ValueCache::weighted_sum over rows of floats, in blocks
/// of queries: little beyond the causal triangle is computed. The result of a query depends on the
/// query and on the rows that it sees, to the last bit: not on the other queries, nor on the oldest
/// row that these see.
class CausalProducts {
 public:
  explicit CausalProducts(std::size_t d) : d_(d) {}

  /// KeyCache::score; rows: [first + count, d].
  void score(const float* rows, const float* queries, std::size_t count, std::size_t first,
             std::size_t oldest, std::size_t stride, float* scores);
  /// ValueCache::weighted_sum; rows: [first + count, d].
  void weighted_sum(const float* rows, const float* weights, std::size_t count, std::size_t first,
                    std::size_t oldest, std::size_t stride, float* out) const;
  /// <a, b>, rounded as score() rounds it.
  float dot(const float* a, const float* b) const;

 private:
  std::size_t d_;
  std::vector<float> corner_;  ///< scores of the block at the diagonal
};

}  // namespace axelram::caches
