#pragma once

#include <cstdint>

#include "simd/vector.hpp"

/// 128 indices of 4 bits, two to a byte, of 1, 2 or 4 keys. For the levels of a trellis
/// (bit-contract.md#trellis), an index and two bits made of the lowest bits x of earlier indices
/// address a table of 64 entries, which does the last XOR.

namespace axelram::avx512 {
namespace {

/// Bytes that address the centroids of their first and second level.
struct Levels {
  __m512i first, second;
};

/// The first 64 / keys bytes of keys that lie `stride` bytes apart, or those `back` bytes before
/// them with zeros before a key. Nothing there is read. Four keys lie in the order 0, 2, 1, 3, as
/// two merged pairs do.
template <int keys, int back = 0>
[[gnu::always_inline]] inline __m512i load_keys(const std::uint8_t* bits, std::size_t stride) {
  const std::uint8_t* const from = bits - back;
  if constexpr (keys == 1) {
    if constexpr (back == 0) return _mm512_loadu_si512(from);
    return _mm512_maskz_loadu_epi8(~__mmask64{0} << back, from);
  } else if constexpr (keys == 2) {
    const auto half = [](const std::uint8_t* at) {
      if constexpr (back == 0) return load_half(at);
      return _mm256_maskz_loadu_epi8(0xFFFFFFFFU << back, at);
    };
    return _mm512_inserti64x4(_mm512_castsi256_si512(half(from)), half(from + stride), 1);
  } else {
    const auto quarter = [](const std::uint8_t* at) {
      if constexpr (back == 0) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      return _mm_maskz_loadu_epi8(static_cast<__mmask16>(0xFFFF << back), at);
    };
    __m512i all = _mm512_castsi128_si512(quarter(from));
    all = _mm512_inserti32x4(all, quarter(from + 2 * stride), 1);
    all = _mm512_inserti32x4(all, quarter(from + stride), 2);
    return _mm512_inserti32x4(all, quarter(from + 3 * stride), 3);
  }
}

/// Matrix of an affine instruction: bit b of a result is the parity of the bits from[b] of a byte.
constexpr long long affine_matrix(const std::uint8_t (&from)[8]) {
  std::uint64_t matrix = 0;
  for (int bit = 0; bit < 8; ++bit) matrix |= std::uint64_t{from[bit]} << (8 * (7 - bit));
  return static_cast<long long>(matrix);
}

/// Keeps a vector in its register. GCC loads it again for each type of lanes that it is used with.
inline __m512i in_register(__m512i v) {
  asm("" : "+v"(v));
  return v;
}

/// Addresses of the levels of the indices at `bits`: an index, and behind it, at bits 4 and 5, what
/// z1 adds to its lowest bit, and z0. Higher bits are anything. For 8 states z0 is at bit 5 of a
/// first address and at bit 4 of a second, for others the reverse.
/// following: the key's earlier indices lie in front of `bits`.
template <int keys, int states>
[[gnu::always_inline]] inline Levels nibble_levels(const std::uint8_t* bits, std::size_t stride,
                                                   bool following) {
  // Each operation overwrites its first operand, so that no register is copied.
  constexpr int kXorWhere = 0x6C;     // the second, inverted where the first and the third are 1
  constexpr int kSelect = 0xE4;       // the first where the third is 1, otherwise the second
  constexpr int kSelectOther = 0xD8;  // the second where the third is 1, otherwise the first
  // Bit 0 is x of the first index of a byte, bit 4 that of the second; `one` is one byte earlier.
  // Bit 4 of `two`, a byte before that, is added in place to x_(i-1): that of a first index with 8
  // states, of a second with 16.
  constexpr long long kSecond =
      affine_matrix({16, 32, 64, 128, states == 16 ? 1 : 0, states == 16 ? 0 : 1});
  constexpr long long kLowest =
      affine_matrix({0, 0, 0, 0, states == 16 ? 1 : 16, states == 16 ? 16 : 1});
  const __m512i index = _mm512_set1_epi8(0x0F);
  const __m512i at_second = _mm512_set1_epi8(1 << 4);
  const __m512i now = in_register(load_keys<keys>(bits, stride));
  const __m512i one =
      in_register(following ? _mm512_loadu_si512(bits - 1) : load_keys<keys, 1>(bits, stride));
  const __m512i second = _mm512_gf2p8affine_epi64_epi8(now, _mm512_set1_epi64(kSecond), 0);
  const __m512i lowest = _mm512_gf2p8affine_epi64_epi8(one, _mm512_set1_epi64(kLowest), 0);
  if constexpr (states == 4) {  // z1 = x_i + x_(i-2), z0 = x_(i-1)
    return {_mm512_ternarylogic_epi64(lowest, now, index, kSelectOther),
            _mm512_ternarylogic_epi64(one, second, at_second, kSelect)};
  } else {  // z1 = x_i + x_(i-1) + x_(i-3), with 16 states x_(i-4); z0 = x_(i-2)
    const __m512i two = following ? _mm512_loadu_si512(bits - 2) : load_keys<keys, 2>(bits, stride);
    if constexpr (states == 8) {
      const __m512i taps = _mm512_ternarylogic_epi64(two, lowest, at_second, kXorWhere);
      return {_mm512_ternarylogic_epi64(taps, now, index, kSelectOther),
              _mm512_xor_si512(second, lowest)};
    } else {
      const __m512i first = _mm512_ternarylogic_epi64(two, now, _mm512_set1_epi8(1), kXorWhere);
      const __m512i taps = _mm512_ternarylogic_epi64(two, lowest, at_second, kSelect);
      return {_mm512_ternarylogic_epi64(first, lowest, index, kSelect),
              _mm512_xor_si512(second, taps)};
    }
  }
}

}  // namespace
}  // namespace axelram::avx512
