#pragma once

#include "attention/attend_arguments.cuh"

namespace axelram::kernels {

/// The part of a result that exact tokens make: softmax sums of each query head, and its weighted
/// sums of values, which are not divided by the sum and are not in the rotated domain.
struct ExactParts {
  SplitStatistics* statistics = nullptr;  ///< [count * heads * group]
  float* sums = nullptr;                  ///< [count * heads * group, d]
};

/// Attention over the tokens of each query that are exact in keys or in values, to be merged with
/// that over all others. One warp per query head. Shapes are checked by the caller; there are exact
/// tokens, and no codewords.
void attend_exact(Stream& stream, const AttentionShape& shape, const AttentionCache& cache,
                  const AttentionQueries& queries, const ExactParts& parts);

}  // namespace axelram::kernels
