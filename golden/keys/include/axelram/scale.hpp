#pragma once

#include <cstdint>

#include "axelram/norm.hpp"

namespace axelram {

/// A = sum of y_i * C[idx_i], exact, at most 47 bits of magnitude for legal parameters
/// (bit-contract.md#scale). y: d rotated elements; indices: d values below `levels`; centroids:
/// `levels` words C_j.
std::int64_t correlation_ref(const std::int32_t* y, const std::uint8_t* indices, int d,
                             const std::int32_t* centroids, int levels);

/// FP16 RNE of square_sum / correlation * 2^exponent, rounded once, subnormals kept; saturated as
/// norm_ref (bit-contract.md#scale). The result is 0 if the square sum is 0, or if the correlation
/// is not positive: such a key has no unbiased scale.
/// square_sum < 2^62; correlation < 2^62; |exponent| < 10000.
Norm unbiased_norm_ref(std::uint64_t square_sum, std::int64_t correlation, int exponent);

}  // namespace axelram
