#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram::calibration {

/// Keys lie in blocks [d, kLanes]: element i of all keys, then element i + 1.
constexpr std::size_t kLanes = 16;
constexpr std::size_t kMaxDim = 256;

/// The positive half of a codebook, which is antisymmetric.
struct PositiveLevels {
  int count = 0;        ///< 2, 4 or 8 centroids
  float centroids[8];   ///< ascending
  float boundaries[7];  ///< between them
};

/// errors[lane] = sum_i (y_i - Q(y_i))^2 of the key in this lane, y = H_d diag(signs) k.
/// The same bits on every level: each lane's sums run in one order, without contraction.
using BlockErrors = void(const float* block, const std::int8_t* signs, std::size_t d,
                         const PositiveLevels& levels, float* errors);

namespace portable {
BlockErrors block_errors;
}
namespace avx2 {
BlockErrors block_errors;
}
namespace avx512 {
BlockErrors block_errors;
}

}  // namespace axelram::calibration
