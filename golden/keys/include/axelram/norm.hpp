#pragma once

#include <cstdint>

namespace axelram {

/// S = sum of m_i^2 of the aligned key, exact, at most 48 bits for legal parameters
/// (bit-contract.md#write-2). m: d integers.
std::uint64_t square_sum_ref(const std::int32_t* m, int d);

/// N: the integer nearest to sqrt(square_sum) (bit-contract.md#write-2). No tie exists, because
/// (N + 1/2)^2 is not an integer.
/// square_sum < 2^62.
std::uint32_t root_ref(std::uint64_t square_sum);

struct Norm {
  std::uint16_t half = 0;  ///< FP16 bits, sign 0, never infinite
  bool saturated = false;  ///< root * 2^e > 65504; `half` is 65504 then
};

/// FP16 RNE of root * 2^e, subnormals kept (bit-contract.md#write-3). `saturated` compares the
/// exact value: it is also set for 65505..65519, which would round to 65504
/// (bit-contract.md#norm-saturation). root < 2^31, any e.
Norm norm_ref(std::uint32_t root, int e);

}  // namespace axelram
