#pragma once

#include "simd/eight.hpp"

/// Roundings of the formats of tiers (bit-contract.md#kivi), eight at a time.

namespace axelram::AXELRAM_LEVEL {
namespace {

/// FP16 RNE of numbers of at least 13 bits that are rounded to odd, or are as far from ties as the
/// exact ones; not saturated, +0 for -0. A sum with 1.5 * 2^42 times the binade, at least that of
/// the lowest normal numbers, has the unit of FP16.
inline Eight rounded_to_half(Eight v) {
  const Eight binade = larger(bit_and(v, eight(__builtin_inf())), eight(0x1p-14));
  const Eight shift = multiply(binade, eight(0x1.8p42));
  return subtract(add(v, shift), shift);
}

/// clamp(RNE((x - minimum) / scale), 0, most) of eight elements; inverses of scales, 0 for 0. A
/// quotient that is no tie is at least 2^-41 away from one, and the product with the inverse within
/// 2^-47 of the quotient: rounded to a multiple of 2^-44, ties and only ties are ties.
template <int bits>
inline __m256i eight_codes(Eight x, Eight minima, Eight inverses) {
  const Eight shift = eight(0x1.8p8);  // numbers about it are multiples of 2^-44
  const Eight steps = subtract(multiply_add(subtract(x, minima), inverses, shift), shift);
  return _mm256_min_epi32(integers(steps), _mm256_set1_epi32((1 << bits) - 1));
}

}  // namespace
}  // namespace axelram::AXELRAM_LEVEL
