#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

/// The vectors of one level, under names that both levels share. Sources in this directory are
/// compiled once for avx2 and once for avx512, with AXELRAM_LEVEL as the name of their namespace.
/// Nothing here has external linkage (level_units.hpp states why).

namespace axelram::AXELRAM_LEVEL {
namespace {

#ifdef __AVX512F__
using Integers = __m512i;
using Floats = __m512;
using HalfIntegers = __m256i;
constexpr int kRegisters = 32;

inline Integers load(const void* from) { return _mm512_loadu_si512(from); }
inline void store(void* to, Integers v) { _mm512_storeu_si512(to, v); }
inline HalfIntegers load_half(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
inline void store_half(void* to, HalfIntegers v) {
  _mm256_storeu_si256(static_cast<__m256i*>(to), v);
}
inline Integers zeros() { return _mm512_setzero_si512(); }
inline Integers broadcast8(int v) { return _mm512_set1_epi8(static_cast<char>(v)); }
inline Integers broadcast16(int v) { return _mm512_set1_epi16(static_cast<short>(v)); }
inline Integers broadcast32(int v) { return _mm512_set1_epi32(v); }
inline Integers broadcast64(std::uint64_t v) {
  return _mm512_set1_epi64(static_cast<long long>(v));
}
inline Integers add32(Integers a, Integers b) { return _mm512_add_epi32(a, b); }
inline Integers sub32(Integers a, Integers b) { return _mm512_sub_epi32(a, b); }
inline Integers add64(Integers a, Integers b) { return _mm512_add_epi64(a, b); }
inline Integers multiply_even(Integers a, Integers b) { return _mm512_mul_epi32(a, b); }
inline Integers multiply_even_unsigned(Integers a, Integers b) { return _mm512_mul_epu32(a, b); }
/// Odd lanes of 32 bits in the even ones, for multiply_even.
inline Integers odd_lanes(Integers v) { return _mm512_shuffle_epi32(v, _MM_PERM_DDBB); }
inline Integers max_unsigned16(Integers a, Integers b) { return _mm512_max_epu16(a, b); }
inline Integers pair_sums16(Integers a, Integers b) { return _mm512_maddubs_epi16(a, b); }
inline Integers pair_sums32(Integers a, Integers b) { return _mm512_madd_epi16(a, b); }
inline Integers shuffle8(Integers v, Integers order) { return _mm512_shuffle_epi8(v, order); }
inline Integers and_not(Integers a, Integers b) { return _mm512_andnot_si512(a, b); }
inline Integers widen8(HalfIntegers v) { return _mm512_cvtepu8_epi16(v); }
inline Integers widen16(HalfIntegers v) { return _mm512_cvtepu16_epi32(v); }
template <int bits>
inline Integers shift_left16(Integers v) {
  return _mm512_slli_epi16(v, bits);
}
template <int bits>
inline Integers shift_right16(Integers v) {
  return _mm512_srli_epi16(v, bits);
}
template <int bits>
inline Integers shift_left32(Integers v) {
  return _mm512_slli_epi32(v, bits);
}
template <int bits>
inline Integers shift_right32(Integers v) {
  return _mm512_srli_epi32(v, bits);
}
template <int bits>
inline Integers shift_right64(Integers v) {
  return _mm512_srli_epi64(v, bits);
}
/// Sixteen bytes in every 128-bit lane.
inline Integers broadcast_lane(const std::uint8_t* from) {
  return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
}
inline HalfIntegers lower_half(Integers v) { return _mm512_castsi512_si256(v); }
inline HalfIntegers upper_half(Integers v) { return _mm512_extracti64x4_epi64(v, 1); }
inline std::uint64_t sum64(Integers v) {
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(v));
}
#else
using Integers = __m256i;
using Floats = __m256;
using HalfIntegers = __m128i;
constexpr int kRegisters = 16;

inline Integers load(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
inline void store(void* to, Integers v) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }
inline HalfIntegers load_half(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}
inline void store_half(void* to, HalfIntegers v) { _mm_storeu_si128(static_cast<__m128i*>(to), v); }
inline Integers zeros() { return _mm256_setzero_si256(); }
inline Integers broadcast8(int v) { return _mm256_set1_epi8(static_cast<char>(v)); }
inline Integers broadcast16(int v) { return _mm256_set1_epi16(static_cast<short>(v)); }
inline Integers broadcast32(int v) { return _mm256_set1_epi32(v); }
inline Integers broadcast64(std::uint64_t v) {
  return _mm256_set1_epi64x(static_cast<long long>(v));
}
inline Integers add32(Integers a, Integers b) { return _mm256_add_epi32(a, b); }
inline Integers sub32(Integers a, Integers b) { return _mm256_sub_epi32(a, b); }
inline Integers add64(Integers a, Integers b) { return _mm256_add_epi64(a, b); }
inline Integers multiply_even(Integers a, Integers b) { return _mm256_mul_epi32(a, b); }
inline Integers multiply_even_unsigned(Integers a, Integers b) { return _mm256_mul_epu32(a, b); }
inline Integers odd_lanes(Integers v) { return _mm256_shuffle_epi32(v, 0xF5); }
inline Integers max_unsigned16(Integers a, Integers b) { return _mm256_max_epu16(a, b); }
inline Integers pair_sums16(Integers a, Integers b) { return _mm256_maddubs_epi16(a, b); }
inline Integers pair_sums32(Integers a, Integers b) { return _mm256_madd_epi16(a, b); }
inline Integers shuffle8(Integers v, Integers order) { return _mm256_shuffle_epi8(v, order); }
inline Integers and_not(Integers a, Integers b) { return _mm256_andnot_si256(a, b); }
inline Integers widen8(HalfIntegers v) { return _mm256_cvtepu8_epi16(v); }
inline Integers widen16(HalfIntegers v) { return _mm256_cvtepu16_epi32(v); }
template <int bits>
inline Integers shift_left16(Integers v) {
  return _mm256_slli_epi16(v, bits);
}
template <int bits>
inline Integers shift_right16(Integers v) {
  return _mm256_srli_epi16(v, bits);
}
template <int bits>
inline Integers shift_left32(Integers v) {
  return _mm256_slli_epi32(v, bits);
}
template <int bits>
inline Integers shift_right32(Integers v) {
  return _mm256_srli_epi32(v, bits);
}
template <int bits>
inline Integers shift_right64(Integers v) {
  return _mm256_srli_epi64(v, bits);
}
/// Sixteen bytes in every 128-bit lane.
inline Integers broadcast_lane(const std::uint8_t* from) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
}
inline HalfIntegers lower_half(Integers v) { return _mm256_castsi256_si128(v); }
inline HalfIntegers upper_half(Integers v) { return _mm256_extracti128_si256(v, 1); }
inline std::uint64_t sum64(Integers v) {
  const __m128i half = _mm_add_epi64(lower_half(v), upper_half(v));
  return static_cast<std::uint64_t>(_mm_extract_epi64(half, 0)) +
         static_cast<std::uint64_t>(_mm_extract_epi64(half, 1));
}
#endif

/// A size that the compiler knows, in the place of one that it does not.
template <std::size_t size>
struct Fixed {
  constexpr operator std::size_t() const { return size; }
};

constexpr int kLanes32 = sizeof(Integers) / 4;
constexpr int kLanes64 = sizeof(Integers) / 8;

}  // namespace
}  // namespace axelram::AXELRAM_LEVEL
