#pragma once

#include <cstdint>

#include "axelram/binary_scale.hpp"

namespace axelram {

/// Fraction bits of a logit, a binary logarithm. With 14 integer bits and the sign it has 27 bits.
constexpr int kLogitFractionBits = 12;
constexpr std::int32_t kLargestLogit = (1 << 26) - 1;

/// The softmax scale of 16 bits (bit-contract.md#softmax-scale): score_scale * scale * log2(e), for
/// scores times score_scale and a softmax of scale * <q, k>. Both are > 0 and finite. Throws
/// std::invalid_argument if the exponent is outside -128..127, or the product is 0 or infinite.
BinaryScale softmax_scale(double score_scale, double scale);

/// z = RNE(score * scale * 2^12) (bit-contract.md#logit), in units of 2^-12 of a power of two. A
/// magnitude above 2^26 - 1 becomes it and sets *saturated (false otherwise). score: finite.
std::int32_t logit_ref(float score, const BinaryScale& scale, bool* saturated);

}  // namespace axelram
