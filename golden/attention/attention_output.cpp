#include "axelram/attention_output.hpp"

#include <algorithm>

#include "axelram/hadamard.hpp"
#include "axelram/rounding.hpp"
#include "numbers/element_rounding.hpp"

namespace axelram {

BinaryScale value_scale(double score_scale) { return binary_scale(score_scale, 24); }

int align_sums_ref(const std::int64_t* acc, int d, int significand_bits, std::int32_t* h) {
  return round_to_bits(acc, d, significand_bits, h);
}

void rotate_back_ref(const std::int8_t* signs, std::int32_t* x, int d) {
  hadamard_ref(x, d);
  for (int i = 0; i < d; ++i) x[i] *= signs[i];
}

std::uint32_t reciprocal_ref(std::uint64_t denominator, std::uint32_t value_significand) {
  if (denominator == 0) return 0;
  const std::uint64_t leading = denominator >> (bit_length(denominator) - 24);
  return static_cast<std::uint32_t>((std::uint64_t{value_significand} << 24) / leading);
}

int output_exponent(const SoftmaxState& state, const BinaryScale& value_scale, int align_shift,
                    int weight_bits) {
  const int below = bit_length(state.denominator) - 24;  // dropped by the reciprocal
  return value_scale.exponent - 24 - below + 32 - state.maximum + align_shift - weight_bits +
         state.weight_reference;
}

std::uint32_t output_ref(std::int32_t y, std::uint32_t reciprocal, int exponent,
                         OutputFormat format, bool* saturated) {
  struct Format {
    int fraction_bits, bias, sign_bit;
    std::uint64_t significand;  ///< of the largest finite value
    int exponent;
    std::uint32_t largest;  ///< its bits
  };
  static constexpr Format kFormats[] = {{10, 15, 15, 0x7FF, 5, 0x7BFF},
                                        {23, 127, 31, 0xFFFFFF, 104, 0x7F7FFFFF}};
  const Format& of = kFormats[static_cast<int>(format)];
  const std::int64_t product = std::int64_t{y} * reciprocal;
  const auto magnitude = static_cast<std::uint64_t>(product < 0 ? -product : product);
  // Farther away all exponents saturate, or give zero.
  const int near = std::clamp(exponent, -1000, 1000);
  *saturated = exceeds(magnitude, near, of.significand, of.exponent);
  const std::uint32_t bits =
      *saturated
          ? of.largest
          : static_cast<std::uint32_t>(encode_rne(magnitude, near, of.fraction_bits, of.bias));
  return product < 0 ? bits | std::uint32_t{1} << of.sign_bit : bits;
}

}  // namespace axelram
