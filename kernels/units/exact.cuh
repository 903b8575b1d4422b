#pragma once

#include <cstdint>

#include "units/score.cuh"

/// Score of a copy (bit-contract.md#exact). The elements of a copy are rounded by
/// round_query_element with X in place of WQ.
namespace axelram::kernels {

/// The FP32 score of an exact accumulator and a copy, rounded once: that of a record whose norm is
/// 1, at e_u + e_k + WC - 2. |acc| < 2^39, any e_u and e_k.
AXELRAM_HD float score_copy_ref(std::int64_t acc, std::int32_t e_u, std::int32_t e_k,
                                int centroid_bits, bool* saturated) {
  constexpr std::uint16_t kOne = 0x3C00;
  constexpr std::int64_t kFar = 2000;  // far beyond every score that is a float
  const std::int64_t exponent = std::int64_t{e_u} + e_k + centroid_bits - 2;
  const std::int64_t near = exponent < -kFar ? -kFar : exponent > kFar ? kFar : exponent;
  return score_ref(acc, kOne, static_cast<std::int32_t>(near), saturated);
}

}  // namespace axelram::kernels
