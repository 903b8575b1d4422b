#pragma once

#include <cstdint>

namespace axelram {

/// S = sum of m_i^2 of the aligned key, exact (at most 48 bits for legal parameters).
std::uint64_t square_sum_ref(const std::int32_t* m, int d);

/// N: the integer nearest to sqrt(square_sum); never a tie, because (N + 1/2)^2 is no integer.
/// square_sum < 2^62.
std::uint32_t root_ref(std::uint64_t square_sum);

struct Norm {
  std::uint16_t half = 0;  ///< FP16 bits, sign 0, never infinite
  bool saturated = false;  ///< root * 2^e > 65504; `half` is 65504 then
};

/// FP16 RNE of root * 2^e, subnormals kept (bit contract, write path step 3). The flag compares the
/// exact value: 65505..65519 would round to 65504 and raise it all the same.
/// root < 2^31, any e.
Norm norm_ref(std::uint32_t root, int e);

}  // namespace axelram
