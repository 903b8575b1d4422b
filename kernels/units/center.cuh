#pragma once

#include "units/align.cuh"

namespace axelram::kernels {

/// CENTER (bit-contract.md#center): m = RNE(x * power * 2^-e) - RNE(c * 2^-e), exact.
template <bool kBf16>
AXELRAM_HD float center_element(const Alignment<kBf16>& alignment, float x, float c,
                                float power = 1) {
  return alignment.shifted(x, power) - alignment.shifted(c);
}

}  // namespace axelram::kernels
