#pragma once

#include <cstdint>

#include "axelram/binary_scale.hpp"
#include "axelram/names.hpp"
#include "axelram/softmax.hpp"

namespace axelram {

enum class OutputFormat { fp16, fp32 };

template <>
struct EnumNames<OutputFormat> {
  static constexpr EnumRow<OutputFormat> rows[] = {
      {OutputFormat::fp16, "fp16", "IEEE 754 binary16"},
      {OutputFormat::fp32, "fp32", "IEEE 754 binary32"}};
};

/// The values' scale of 24 bits (bit-contract.md#value-scale).
BinaryScale value_scale(double score_scale);

/// Rounds the sums of a query to significand_bits (bit-contract.md#output-align): with A =
/// max|acc_i| and sh = max(0, bit_length(A) - (W - 1)), h_i is RNE(acc_i / 2^sh), clamped to
/// +-(2^(W-1) - 1). acc: d sums, below 2^62; significand_bits: W, 12..20; h: d results. Returns sh.
int align_sums_ref(const std::int64_t* acc, int d, int significand_bits, std::int32_t* h);

/// x = diag(signs) H_d x in place (bit-contract.md#output-rotate): the inverse of rotate_ref but
/// for a factor of d. signs: d values, +1 or -1. Range as hadamard_ref.
void rotate_back_ref(const std::int8_t* signs, std::int32_t* x, int d);

/// R = floor(K * 2^24 / D), with the 24 leading bits D of a denominator L
/// (bit-contract.md#reciprocal). 24 or 25 bits; 0 for L = 0, a query without a token. denominator:
/// L, 0 or above 2^31; value_significand: K.
std::uint32_t reciprocal_ref(std::uint64_t denominator, std::uint32_t value_significand);

/// x, so that an output is y * R * 2^x (bit-contract.md#output-rounding). state: of the query;
/// align_shift: sh; weight_bits: FW.
int output_exponent(const SoftmaxState& state, const BinaryScale& value_scale, int align_shift,
                    int weight_bits);

/// Bits of y * reciprocal * 2^exponent in a format, RNE, rounded once
/// (bit-contract.md#output-rounding). Exact zero is +0, subnormals are kept, a nonzero value that
/// underflows to zero keeps its sign. An exact magnitude beyond the largest finite value becomes it
/// and sets *saturated (false otherwise). |y * reciprocal| < 2^52.
std::uint32_t output_ref(std::int32_t y, std::uint32_t reciprocal, int exponent,
                         OutputFormat format, bool* saturated);

}  // namespace axelram
