#pragma once

#include <cstdint>

#include "axelram/head_rotation.hpp"
#include "axelram/kernels/constants.hpp"
#include "device/vectors.cuh"
#include "units/align.cuh"
#include "units/balance.cuh"
#include "units/quantizer.cuh"
#include "units/tensor_rows.cuh"

/// BALANCE, ALIGN, CENTER, signs, S and products of the Hadamard transform of a key of the fast
/// write kernel, of which a lane has 32 elements.
namespace axelram::kernels {

/// The largest exponent field of a key.
template <bool kBf16, unsigned kLanes>
AXELRAM_DEVICE int largest_field(std::uint32_t magnitudes) {
  AXELRAM_UNROLL
  for (unsigned mask = 1; mask < kLanes; mask *= 2)
    magnitudes = max_magnitudes<kBf16>(magnitudes, shuffle_xor(magnitudes, mask));
  const std::uint32_t upper = magnitudes >> 16, lower = magnitudes & 0xFFFFU;
  return exponent_field<kBf16>(upper > lower ? upper : lower);
}

/// Words j to j + 3.
AXELRAM_DEVICE void load_four(const Words4* from, int j, std::uint32_t (&words)[kWords]) {
  const Words4 four = load(from);
  AXELRAM_UNROLL
  for (int i = 0; i < 4; ++i) words[j + i] = four.w[i];
}

/// What the elements of a lane are taken times before ALIGN, two factors a word: signs alone are
/// sign bits.
template <int kDim, bool kBalanced>
struct LaneFactors {
  /// first: the lane's first element among those of all heads.
  AXELRAM_DEVICE LaneFactors(const MacroConstants&, const std::int8_t* all_signs,
                             const Exponents<false>&, std::size_t first, const Words4*)
      : signs(all_signs + first) {}
  /// Of elements 2j and 2j + 1 of the lane.
  AXELRAM_DEVICE std::uint32_t word(unsigned j) const {
    const std::int8_t* const pair = signs + 2 * j;
    return (load(pair) < 0 ? 0x8000U : 0) | (load(pair + 1) < 0 ? 0x80000000U : 0);
  }

 private:
  const std::int8_t* signs;
};

/// With balance the factors are elements +-2^(power - top) (bit-contract.md#exponents): at most 1,
/// so that no product overflows, and a product of field f is of an element of field f + top.
template <int kDim>
struct LaneFactors<kDim, true> {
  /// Signs and exponents lie at multiples of 16 bytes. center: the lane's elements, or null.
  AXELRAM_DEVICE LaneFactors(const MacroConstants& c, const std::int8_t* all_signs,
                             const Exponents<true>& exponents, std::size_t first,
                             const Words4* center)
      : bf16(c.bf16) {
    load_bytes(all_signs + first, signs);
    load_bytes(exponents.data + first, steps);
    std::uint32_t met = 0;  // bit i: an exponent of kLeastExponent + i
    AXELRAM_UNROLL
    for (std::uint32_t& four : steps) {
      four = (four ^ 0x80808080U) - kEach * static_cast<std::uint32_t>(128 + kLeastExponent);
      AXELRAM_UNROLL
      for (int i = 0; i < 4; ++i) met |= 1U << (four >> (8 * i) & 31U);
    }
    std::uint32_t of_key = met;
    AXELRAM_UNROLL
    for (unsigned mask = 1; mask < kLanes; mask *= 2) of_key |= shuffle_xor(of_key, mask);
    const int least = lowest_one(of_key);
    top = -(kLeastExponent + least);
    spread = 31 - leading_zeros(met) - least;
    AXELRAM_UNROLL
    for (std::uint32_t& four : steps) four -= kEach * static_cast<std::uint32_t>(least);
    if (center != nullptr) center_field = bf16 ? field_of<true>(center) : field_of<false>(center);
  }
  AXELRAM_DEVICE std::uint32_t word(unsigned j) const {
    const bool first = j % 2 == 0;  // of four; bytes 4 are 0
    const std::uint32_t of_pair = permute_bytes(steps[j / 2], 0, first ? 0x4140 : 0x4342);
    const std::uint32_t sign_bytes = permute_bytes(signs[j / 2], 0, first ? 0x1404 : 0x3424);
    return powers_below_one(bf16, of_pair) | (sign_bytes & 0x80008000U);
  }

  int top;               ///< the largest power of the key
  int spread;            ///< from the least power of the lane to it
  int center_field = 1;  ///< the largest field of the center, at least 1

 private:
  static constexpr unsigned kLanes = kDim / kElements;
  static constexpr std::uint32_t kEach = 0x01010101U;

  AXELRAM_DEVICE static void load_bytes(const std::int8_t* from, std::uint32_t (&words)[8]) {
    AXELRAM_UNROLL
    for (int half = 0; half < 2; ++half) {
      const Words4 four = load(reinterpret_cast<const Words4*>(from) + half);
      AXELRAM_UNROLL
      for (int i = 0; i < 4; ++i) words[4 * half + i] = four.w[i];
    }
  }
  template <bool kBf16>
  AXELRAM_DEVICE static int field_of(const Words4* center) {
    std::uint32_t largest = 0, words[kWords];
    AXELRAM_UNROLL
    for (int j = 0; j < kWords; ++j) {
      if (j % 4 == 0) load_four(center + j / 4, j, words);
      largest = max_magnitudes<kBf16>(largest, words[j]);
    }
    const int field = largest_field<kBf16, kLanes>(largest);
    return field > 1 ? field : 1;
  }

  bool bf16;
  std::uint32_t signs[8], steps[8];  ///< bytes; steps: the element's power is that much below top
};

struct AlignedKey {
  int e;
  bool finite;
  std::uint64_t square_sum;  ///< S (bit-contract.md#write-2)
};

/// The units of `words`, with the signs of `signs`; `kept` masks what is finite.
template <bool kBf16>
AXELRAM_DEVICE void to_units(const Alignment<kBf16>& alignment,
                             const std::uint32_t (&signs)[kWords], std::uint32_t kept,
                             std::uint32_t (&words)[kWords]) {
  if (!any_lane(!alignment.has_unit_scale())) {
    const Half2 scale = alignment.unit_scale();
    AXELRAM_UNROLL
    for (int j = 0; j < kWords; ++j) words[j] = half2_multiply((words[j] & kept) ^ signs[j], scale);
  } else {
    AXELRAM_UNROLL
    for (int j = 0; j < kWords; ++j)
      words[j] = alignment.units_of_pair((words[j] & kept) ^ signs[j]);
  }
}

/// ALIGN and the signs: the units of `words` and, if kCentered, of `center_words`, the lane's
/// elements of the center. A key that is not finite becomes zeros.
template <bool kBf16, bool kCentered, int kDim>
AXELRAM_DEVICE AlignedKey to_units(const LaneFactors<kDim, false>&,
                                   const std::uint32_t (&signs)[kWords], const Words4* center,
                                   int significand_bits, std::uint32_t (&words)[kWords],
                                   std::uint32_t (&center_words)[kWords]) {
  std::uint32_t largest = words[0];
  AXELRAM_UNROLL
  for (int j = 1; j < kWords; ++j) largest = max_magnitudes<kBf16>(largest, words[j]);
  AXELRAM_UNROLL
  for (int j = 0; j < kWords && kCentered; ++j) {
    if (j % 4 == 0) load_four(center + j / 4, j, center_words);
    largest = max_magnitudes<kBf16>(largest, center_words[j]);
  }
  const int field = largest_field<kBf16, kDim / kElements>(largest);
  const Alignment<kBf16> alignment(field, significand_bits);
  const auto kept = static_cast<std::uint32_t>((field - Format<kBf16>::kMaxField) >> 31);
  to_units(alignment, signs, kept, words);
  if constexpr (kCentered) to_units(alignment, signs, kept, center_words);
  return {alignment.e, field != Format<kBf16>::kMaxField, 0};
}

/// The same with balance.
template <bool kBf16, bool kCentered, int kDim>
AXELRAM_DEVICE AlignedKey to_units(const LaneFactors<kDim, true>& lane,
                                   const std::uint32_t (&factors)[kWords], const Words4* center,
                                   int significand_bits, std::uint32_t (&words)[kWords],
                                   std::uint32_t (&center_words)[kWords]) {
  std::uint32_t largest = times_powers<kBf16>(words[0], factors[0]);
  AXELRAM_UNROLL
  for (int j = 1; j < kWords; ++j)
    largest = max_magnitudes<kBf16>(largest, times_powers<kBf16>(words[j], factors[j]));
  const int of_products = largest_field<kBf16, kDim / kElements>(largest);
  const bool finite = of_products != Format<kBf16>::kMaxField;
  int field = (of_products > 1 ? of_products : 1) + lane.top;
  if (kCentered && field < lane.center_field) field = lane.center_field;
  const int e = aligned_exponent<kBf16>(field, significand_bits);

  // Elements times 2^(power - top) in units of 2^(e - top). FP16 rounds the product of an element
  // and of its factor in units, once. BF16 has the product of element and factor exactly, or the
  // unit is far above what rounds it.
  const Alignment<kBf16> alignment(e - lane.top);
  const bool at_once = finite && (kBf16 ? alignment.e > -125 : alignment.e <= -lane.spread);
  if (!any_lane(!at_once)) {
    const Half2 scale = kBf16 ? 0 : alignment.unit_scale();
    AXELRAM_UNROLL
    for (int j = 0; j < kWords; ++j)
      words[j] = kBf16 ? alignment.units_of_pair(bfloat2_multiply(words[j], factors[j]))
                       : half2_multiply(words[j], half2_multiply(factors[j], scale));
  } else {
    AXELRAM_UNROLL
    for (int j = 0; j < kWords; ++j)
      words[j] = alignment.units_of_pair(finite ? words[j] : 0, factors[j]);
  }
  if constexpr (kCentered) {
    constexpr std::uint32_t kSigns = 0x80008000U;
    std::uint32_t signs[kWords];
    AXELRAM_UNROLL
    for (int j = 0; j < kWords; ++j) {
      if (j % 4 == 0) load_four(center + j / 4, j, center_words);
      signs[j] = factors[j] & kSigns;
    }
    to_units(Alignment<kBf16>(e), signs, finite ? ~0U : 0, center_words);
  }
  return {e, finite, 0};
}

/// BALANCE, ALIGN, CENTER, the signs, and the products of the Hadamard transform less kQuarter.
/// words: of the lane's elements, which become their units; factors: those of `lane`; center: the
/// lane's elements, if kCentered. A key that is not finite becomes zeros.
template <bool kBf16, bool kCentered, int kDim, bool kBalanced>
AXELRAM_DEVICE AlignedKey align_key(const LaneFactors<kDim, kBalanced>& lane,
                                    const std::uint32_t (&factors)[kWords], const Words4* center,
                                    int significand_bits, const HadamardProduct<kDim>& hadamard,
                                    std::uint32_t (&words)[kWords], float (&x)[2][4][4]) {
  std::uint32_t center_words[kWords];
  AlignedKey key =
      to_units<kBf16, kCentered>(lane, factors, center, significand_bits, words, center_words);
  // s x - s c is s m: rounding is symmetric. A difference may have 12 significant bits: its parts
  // are multiplied.
  SquareSums<kDim> squares;
  constexpr float less = kQuarter * kUnit;
  if constexpr (kCentered) {
    std::uint32_t low[kWords];
    AXELRAM_UNROLL
    for (int j = 0; j < kWords; ++j) {
      const SplitWord m = subtract(split_word(words[j]), split_word(center_words[j]));
      words[j] = m.high;
      low[j] = m.low;
      squares.add(m);
    }
    hadamard.template multiply<true>(low, less, x);
  } else {
    AXELRAM_UNROLL
    for (int j = 0; j < kWords; ++j) squares.add(split_word(words[j]));
  }
  hadamard.template multiply<!kCentered>(words, less, x);
  key.square_sum = squares.sum();
  return key;
}

}  // namespace axelram::kernels
