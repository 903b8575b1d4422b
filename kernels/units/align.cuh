#pragma once

#include <cstdint>

#include "device/platform.cuh"

/// ALIGN (bit-contract.md#align): floats to integers with one exponent, in exact FP32 arithmetic.
namespace axelram::kernels {

/// 1.5 * 2^23. Adding it rounds |x| < 2^22 to an integer, RNE; the sum's bits are then kShifterBits
/// + that integer.
constexpr float kShifter = 12582912.0F;
constexpr std::uint32_t kShifterBits = 0x4B400000U;

/// The smallest FP16 number. Integers are multiples of it where tensor cores add them.
constexpr float kUnit = 0x1p-24F;

template <bool kBf16>
struct Format {
  static constexpr int kFractionBits = kBf16 ? 7 : 10;
  static constexpr int kBias = kBf16 ? 127 : 15;
  static constexpr int kMaxField = kBf16 ? 255 : 31;  ///< of NaN and infinity
};

/// The exponent field of a magnitude.
template <bool kBf16>
AXELRAM_HD int exponent_field(std::uint32_t magnitude) {
  return static_cast<int>(magnitude >> Format<kBf16>::kFractionBits);
}

/// A pair of elements, the lower half first.
template <bool kBf16>
AXELRAM_HD void floats_of_pair(std::uint32_t pair, float& low, float& high) {
  if constexpr (kBf16) {
    low = float_of_bits(pair << 16);
    high = float_of_bits(pair & 0xFFFF0000U);
  } else {
    floats_of_half2(pair, low, high);
  }
}

template <bool kBf16>
AXELRAM_HD float float_of_element(std::uint16_t element) {
  return kBf16 ? float_of_bits(std::uint32_t{element} << 16) : float_of_half(element);
}

/// e of a row whose largest exponent field is `field`, at least 1 without powers.
template <bool kBf16>
AXELRAM_HD int aligned_exponent(int field, int significand_bits) {
  return field - Format<kBf16>::kBias - (significand_bits - 2);
}

/// Values derived from e of a row.
template <bool kBf16>
struct Alignment {
  /// field: the largest exponent field of a finite row.
  AXELRAM_HD Alignment(int field, int significand_bits)
      : Alignment(aligned_exponent<kBf16>(field > 1 ? field : 1, significand_bits)) {}
  AXELRAM_HD explicit Alignment(int exponent) : e(exponent) {
    // BF16 needs up to 2^144 and takes it in two factors: the first product is exact, or so small
    // that it rounds to 0 all the same.
    first = kBf16 ? power_of_two(-e / 2) : 1.0F;
    second = power_of_two(kBf16 ? -e - -e / 2 : -e);
  }

  /// kShifter + RNE(x * power * 2^-e) of an element: m is its difference to kShifter. power: of
  /// two.
  AXELRAM_HD float shifted(float x, float power = 1) const {
    return multiply_add(kBf16 ? x * first : x, second * power, kShifter);
  }

  /// The same for a pair, m as FP16 multiples of kUnit. Rounding to FP16 is RNE to an integer: FP16
  /// numbers below 2^11 units are one unit apart, and an element has at most 11 significant bits.
  AXELRAM_HD Half2 units_of_pair(std::uint32_t pair) const {
    float low, high;
    floats_of_pair<kBf16>(pair, low, high);
    return units(low, high);
  }
  /// The same for a pair times a pair of powers of two, 2^-15 to 1 or negative: FP32 has these
  /// products exactly.
  AXELRAM_HD Half2 units_of_pair(std::uint32_t pair, std::uint32_t powers) const {
    float low, high, low_power, high_power;
    floats_of_pair<kBf16>(pair, low, high);
    floats_of_pair<kBf16>(powers, low_power, high_power);
    return units(low * low_power, high * high_power);
  }
  /// Whether units_of_pair() is a product with unit_scale(), for FP16.
  AXELRAM_HD bool has_unit_scale() const { return !kBf16 && e <= 0; }
  AXELRAM_HD Half2 unit_scale() const {
    const float scale = second * kUnit;
    return half2_of_floats(scale, scale);
  }

  int e;

 private:
  AXELRAM_HD Half2 units(float low, float high) const {
    const float scale = second * kUnit;
    return kBf16 ? half2_of_floats(low * first * scale, high * first * scale)
                 : half2_of_floats(low * scale, high * scale);
  }

  float first, second;
};

}  // namespace axelram::kernels
