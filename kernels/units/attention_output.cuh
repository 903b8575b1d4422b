#pragma once

#include <cstdint>

#include "units/token_weight.cuh"

/// The end of a query (bit-contract.md#attention-output).
namespace axelram::kernels {

/// reciprocal_ref: floor(significand * 2^24 / leading 24 bits of the denominator); 0 for 0.
AXELRAM_HD std::uint32_t reciprocal_ref(std::uint64_t denominator, std::uint32_t significand) {
  if (denominator == 0) return 0;
  const std::uint64_t leading = denominator >> (40 - leading_zeros(denominator));
  return static_cast<std::uint32_t>((std::uint64_t{significand} << 24) / leading);
}

/// output_exponent: x, so that an output is y * reciprocal * 2^x.
AXELRAM_HD std::int32_t output_exponent(const SoftmaxIntegers& state, std::int32_t value_exponent,
                                        std::int32_t align_shift, std::int32_t weight_bits) {
  const std::int32_t below = 40 - leading_zeros(state.denominator);
  return value_exponent - 24 - below + 32 - state.maximum + align_shift - weight_bits +
         state.weight_reference;
}

/// output_ref: bits of y * reciprocal * 2^exponent in FP16 or FP32. The product is an exact double,
/// and so it is times a power of two: exponents beyond +-900 saturate or vanish as those there do.
AXELRAM_HD std::uint32_t output_ref(std::int32_t y, std::uint32_t reciprocal, std::int32_t exponent,
                                    bool fp32, bool* saturated) {
  const std::int32_t power = exponent < -900 ? -900 : exponent > 900 ? 900 : exponent;
  const double exact =
      static_cast<double>(std::int64_t{y} * reciprocal) * double_power_of_two(power);
  const double largest = fp32 ? 0x1.fffffep127 : 65504.0;
  *saturated = exact > largest || exact < -largest;
  const double value = exact > largest ? largest : exact < -largest ? -largest : exact;
  return fp32 ? bits_of_float(static_cast<float>(value)) : half_of_double(value);
}

}  // namespace axelram::kernels
