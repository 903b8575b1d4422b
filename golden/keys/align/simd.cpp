#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// Alignment. Sizes are multiples of 32 elements.

namespace axelram::AXELRAM_LEVEL {
namespace {

#ifdef __AVX512F__
/// Multiplication by 2^exponent; the instruction takes any exponent.
class Power {
 public:
  explicit Power(int exponent) : exponent_(_mm512_set1_ps(static_cast<float>(exponent))) {}
  __m512 operator*(__m512 value) const { return _mm512_scalef_ps(value, exponent_); }

 private:
  __m512 exponent_;
};

Integers widen_signed8(const std::int8_t* v) {
  return _mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(v)));
}
Integers round_to_even(Floats v) { return _mm512_cvtps_epi32(v); }
Floats from_fp16(HalfIntegers v) { return _mm512_cvtph_ps(v); }
Floats from_bits(Integers v) { return _mm512_castsi512_ps(v); }
__m128i max_of_lanes(Integers v) {
  const __m256i half = _mm256_max_epu16(lower_half(v), upper_half(v));
  return _mm_max_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}
#else
/// Multiplication by 2^exponent in two factors, which together reach every power that a bfloat16
/// vector needs.
class Power {
 public:
  explicit Power(int exponent)
      : first_(_mm256_set1_ps(two_to(exponent / 2))),
        second_(_mm256_set1_ps(two_to(exponent - exponent / 2))) {}
  __m256 operator*(__m256 value) const {
    return _mm256_mul_ps(_mm256_mul_ps(value, first_), second_);
  }

 private:
  static float two_to(int exponent) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(exponent + 127) << 23);
  }
  __m256 first_;
  __m256 second_;
};

Integers widen_signed8(const std::int8_t* v) {
  return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(v)));
}
Integers round_to_even(Floats v) { return _mm256_cvtps_epi32(v); }
Floats from_fp16(HalfIntegers v) { return _mm256_cvtph_ps(v); }
Floats from_bits(Integers v) { return _mm256_castsi256_ps(v); }
__m128i max_of_lanes(Integers v) { return _mm_max_epu16(lower_half(v), upper_half(v)); }
#endif

/// 2^powers[i] of each lane.
Floats powers_of_two(const std::int8_t* powers) {
  const Integers exponents = add32(widen_signed8(powers), broadcast32(127));
  return from_bits(shift_left32<23>(exponents));
}

/// A product with 2^-e is at most 2^8 times the largest result, or so small that it rounds to 0
/// whatever its power.
template <class ToFloats>
void scale(const std::uint16_t* x, const std::int8_t* powers, int d, int e, std::int32_t* m,
           const ToFloats& to_floats) {
  const Power power(-e);
  if (powers == nullptr) {
    for (int i = 0; i < d; i += kLanes32)
      store(m + i, round_to_even(power * to_floats(load_half(x + i))));
  } else {
    for (int i = 0; i < d; i += kLanes32)
      store(m + i,
            round_to_even(powers_of_two(powers + i) * (power * to_floats(load_half(x + i)))));
  }
}

}  // namespace

std::uint16_t max_magnitude(const std::uint16_t* x, int d) {
  const Integers magnitude = broadcast16(0x7FFF);
  Integers max = zeros();
  for (int i = 0; i < d; i += 2 * kLanes32) max = max_unsigned16(max, load(x + i) & magnitude);
  // The minimum of the complements is the complement of the maximum.
  const __m128i complement = _mm_xor_si128(max_of_lanes(max), _mm_set1_epi16(-1));
  return static_cast<std::uint16_t>(~_mm_extract_epi16(_mm_minpos_epu16(complement), 0) & 0xFFFF);
}

int max_field(const std::uint16_t* x, const std::int8_t* powers, int d, int fraction_bits) {
  short max = -8;
  for (int i = 0; i < d; ++i) {
    const auto raw_field = static_cast<short>((x[i] & 0x7FFF) >> fraction_bits);
    const auto field = static_cast<short>((raw_field > 1 ? raw_field : 1) + powers[i]);
    max = field > max ? field : max;
  }
  return max;
}

// The scaled values are exact (11 significant bits), or far below 1/2.
void scale_fp16(const std::uint16_t* x, const std::int8_t* powers, int d, int e, std::int32_t* m) {
  scale(x, powers, d, e, m, [](HalfIntegers v) { return from_fp16(v); });
}

void scale_bf16(const std::uint16_t* x, const std::int8_t* powers, int d, int e, std::int32_t* m) {
  scale(x, powers, d, e, m, [](HalfIntegers v) { return from_bits(shift_left32<16>(widen16(v))); });
}

}  // namespace axelram::AXELRAM_LEVEL
