#pragma once

#include <cstddef>

namespace axelram {

// FP32 sums in the orders that all units that read a tiered cache keep
// (bit-contract.md#tier-reading).

/// The sum of a_c * b_c: lane l = 0 .. 15 adds the channels c = l, l + 16, ... to zero, each
/// product with one rounding (std::fma); then lanes l and l + 8 are added, l and l + 4, l and l +
/// 2, l and l + 1. d: up to 256, so that a product meets at most 20 roundings.
float lane_dot_ref(const float* a, const float* b, std::size_t d);

/// sums[c] becomes it plus weight * row[c], with one rounding (std::fma).
void add_weighted_ref(float weight, const float* row, std::size_t d, float* sums);

}  // namespace axelram
