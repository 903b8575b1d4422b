#pragma once

#include <cstdint>

#include "vector.hpp"

/// 128 indices of 4 bits, two to a byte, of 1, 2 or 4 keys, and the levels of a trellis
/// (bit-contract.md#trellis) that they and the lowest bits x of earlier indices make.

namespace axelram::avx512 {
namespace {

/// Bytes that address the centroids of their first and second level.
struct Levels {
  __m512i first, second;
};

/// The bytes of the keys, or those `back` bytes before them with zeros before a key. Nothing there
/// is read.
template <int keys, int stride, int back = 0>
__m512i load_nibbles(const std::uint8_t* bits) {
  const std::uint8_t* const from = bits - back;
  if constexpr (keys == 1) {
    return _mm512_maskz_loadu_epi8(~__mmask64{0} << back, from);
  } else if constexpr (keys == 2) {
    constexpr __mmask32 kOwn = 0xFFFFFFFFU << back;
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_maskz_loadu_epi8(kOwn, from)),
                              _mm256_maskz_loadu_epi8(kOwn, from + stride), 1);
  } else {
    constexpr auto kOwn = static_cast<__mmask16>(0xFFFF << back);
    __m512i all = _mm512_castsi128_si512(_mm_maskz_loadu_epi8(kOwn, from));
    all = _mm512_inserti32x4(all, _mm_maskz_loadu_epi8(kOwn, from + 2 * stride), 1);
    all = _mm512_inserti32x4(all, _mm_maskz_loadu_epi8(kOwn, from + stride), 2);
    return _mm512_inserti32x4(all, _mm_maskz_loadu_epi8(kOwn, from + 3 * stride), 3);
  }
}

/// The levels of the indices at `bits`: z1 in the place of an index's lowest bit, z0 at bit 4;
/// higher bits are anything. following: the key's earlier indices lie in front of `bits`.
template <int keys, int stride, int states>
Levels nibble_levels(const std::uint8_t* bits, bool following) {
  constexpr int kXorWhere = 0x6C;  // the second, inverted where the first and the third are 1
  constexpr int kSelect = 0xE4;    // the first where the third is 1, otherwise the second
  const __m512i lowest = _mm512_set1_epi8(1);
  const __m512i z0 = _mm512_set1_epi8(1 << 4);
  const __m512i now = load_nibbles<keys, stride>(bits);
  // Bit 0 is x of the first index of a byte, bit 4 that of the second; `one` is one byte earlier.
  const __m512i one =
      following ? _mm512_loadu_si512(bits - 1) : load_nibbles<keys, stride, 1>(bits);
  const __m512i second = _mm512_srli_epi16(now, 4);
  const __m512i one_second = _mm512_srli_epi16(one, 4);
  if constexpr (states == 4) {  // z1 = x_i + x_(i-2), z0 = x_(i-1)
    return {_mm512_ternarylogic_epi64(one, _mm512_ternarylogic_epi64(one, now, lowest, kXorWhere),
                                      z0, kSelect),
            _mm512_ternarylogic_epi64(
                _mm512_slli_epi16(now, 4),
                _mm512_ternarylogic_epi64(one_second, second, lowest, kXorWhere), z0, kSelect)};
  } else {  // z1 = x_i + x_(i-1) + x_(i-3), with 16 states x_(i-4); z0 = x_(i-2)
    const __m512i two =
        following ? _mm512_loadu_si512(bits - 2) : load_nibbles<keys, stride, 2>(bits);
    const __m512i of_first =
        _mm512_xor_si512(one_second, states == 8 ? _mm512_srli_epi16(two, 4) : two);
    const __m512i of_second = _mm512_xor_si512(now, states == 8 ? one : _mm512_srli_epi16(two, 4));
    return {_mm512_ternarylogic_epi64(_mm512_slli_epi16(one, 4),
                                      _mm512_ternarylogic_epi64(of_first, now, lowest, kXorWhere),
                                      z0, kSelect),
            _mm512_ternarylogic_epi64(
                one, _mm512_ternarylogic_epi64(of_second, second, lowest, kXorWhere), z0, kSelect)};
  }
}

}  // namespace
}  // namespace axelram::avx512
