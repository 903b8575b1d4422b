#pragma once

#include <array>
#include <cstdint>

namespace axelram {

// Gates of tokens as codes of 8 bits (bit-contract.md#memory-gates; references.md#coda-gqa-l). A
// code is compared, never the logit, so that golden, RTL and CUDA decide alike.

constexpr int kGateCodes = 256;

/// L_j at j - 1, j = 1 .. 255: FP32 RNE of ln((j - 1/2) / (255 + 1/2 - j)), ascending. Where a
/// logarithm lies too near to a tie of FP32 for the C library to decide, the first call throws
/// std::logic_error; no gate does with an error below 2^-40.
const std::array<float, kGateCodes - 1>& gate_boundaries();

/// G: the number of boundaries that z reaches, which is RNE(255 / (1 + exp(-z))). z: finite.
int gate_code_ref(float z);

/// The code of a threshold or of the blend, RNE(255 * x). x: 0..1.
int gate_parameter(double x);

/// B[G]: FP32 RNE of ln(max(G, 1) / 255), the addend of a logit. Throws as gate_boundaries().
const std::array<float, kGateCodes>& gate_bias();

}  // namespace axelram
