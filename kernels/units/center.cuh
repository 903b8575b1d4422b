#pragma once

#include "units/align.cuh"

namespace axelram::kernels {

/// CENTER (bit-contract.md#center): m = RNE(x * 2^-e) - RNE(c * 2^-e), exact.
template <bool kBf16>
AXELRAM_HD float center_element(const Alignment<kBf16>& alignment, float x, float c) {
  return alignment.shifted(x) - alignment.shifted(c);
}

}  // namespace axelram::kernels
