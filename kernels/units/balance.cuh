#pragma once

#include <cstdint>

#include "units/align.cuh"

/// BALANCE (bit-contract.md#exponents): elements are taken times powers of two before they are
/// aligned.
namespace axelram::kernels {

/// Exponents of the KV heads as a kernel receives them, [heads, d]; nothing without balance.
template <bool kBalanced>
struct Exponents {
  AXELRAM_HD explicit Exponents(const std::int8_t*) {}
};
template <>
struct Exponents<true> {
  AXELRAM_HD explicit Exponents(const std::int8_t* of_heads) : data(of_heads) {}

  const std::int8_t* data;
};

/// Below and above every exponent field with a power added.
constexpr std::int32_t kLeastField = -16, kNotFinite = 1 << 16;

/// The exponent field of a magnitude, at least 1, with its power added; kNotFinite of NaN and
/// infinity.
template <bool kBf16>
AXELRAM_HD std::int32_t balanced_field(std::uint32_t magnitude, int power) {
  const int field = exponent_field<kBf16>(magnitude);
  return field == Format<kBf16>::kMaxField ? kNotFinite : (field > 1 ? field : 1) + power;
}

/// 2^-step as elements of a pair; steps: 0..15 in each half.
AXELRAM_HD std::uint32_t powers_below_one(bool bf16, std::uint32_t steps) {
  constexpr std::uint32_t kBoth = 0x00010001U, kLeastHalf = 0x02000200U;  // 2^-15
  const std::uint32_t binade =
      bf16 ? 1U << Format<true>::kFractionBits : 1U << Format<false>::kFractionBits;
  const std::uint32_t one = kBoth * (bf16 ? Format<true>::kBias << Format<true>::kFractionBits
                                          : Format<false>::kBias << Format<false>::kFractionBits);
  // The field of 2^-15 as FP16 is 0; every other number is larger, as an FP16 number too.
  return max_magnitudes<false>(one - steps * binade, kLeastHalf);
}

/// The products of a pair of elements and a pair of powers of two, rounded where they are
/// subnormal.
template <bool kBf16>
AXELRAM_HD std::uint32_t times_powers(std::uint32_t pair, std::uint32_t powers) {
  return kBf16 ? bfloat2_multiply(pair, powers) : half2_multiply(pair, powers);
}

/// Powers of the elements of one row: element i is taken times 2^power(i).
template <bool kBalanced>
struct RowPowers {
  AXELRAM_DEVICE static RowPowers of_key(const Exponents<kBalanced>&, std::size_t) { return {}; }
  AXELRAM_DEVICE static RowPowers of_query(const Exponents<kBalanced>&, std::size_t) { return {}; }
};
template <>
struct RowPowers<true> {
  /// first: of the head's exponents.
  AXELRAM_DEVICE static RowPowers of_key(const Exponents<true>& exponents, std::size_t first) {
    return {exponents.data + first, true};
  }
  AXELRAM_DEVICE static RowPowers of_query(const Exponents<true>& exponents, std::size_t first) {
    return {exponents.data + first, false};
  }
  AXELRAM_DEVICE int power(std::size_t i) const {
    const int exponent = load(exponents + i);
    return negative ? -exponent : exponent;
  }

  const std::int8_t* exponents;
  bool negative;
};

}  // namespace axelram::kernels
