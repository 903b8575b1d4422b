#pragma once

#include <cstdint>

#include "axelram/softmax.hpp"

namespace axelram {

/// Adds the value of a token to the sums of a query: acc_i = half_up(acc_i, shift) + w * C[level_i]
/// (bit-contract.md#weighted-sum). acc: d sums, below 2^62; token: as softmax_ref gave it; words:
/// ROM words C_j; levels: d indices of words, of a trellis its levels.
void weighted_sum_ref(std::int64_t* acc, int d, const TokenWeight& token, const std::int32_t* words,
                      const std::uint8_t* levels);

}  // namespace axelram
