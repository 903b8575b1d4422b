#include "simd/level_units.hpp"
#include "simd_steps.hpp"
#include "tiers/kivi/arguments.hpp"

/// Elements of KIVI blocks and rows: eight codes of a group in the lanes, one FMA each
/// (bit-contract.md#kivi).

namespace axelram::AXELRAM_LEVEL {
namespace {

/// Scales between codes, and minima, of eight groups; those behind the last are 0.
struct EightGroups {
  alignas(32) float steps[kEightLanes], minima[kEightLanes];

  EightGroups(const KiviDecoding& of, const std::uint8_t* scales, std::size_t first) {
    const std::size_t count = of.groups - first < kEightLanes ? of.groups - first : kEightLanes;
    const auto convert = [&](const std::uint8_t* from, float* to) {
      alignas(16) std::uint16_t halfs[kEightLanes] = {};
      __builtin_memcpy(halfs, from, 2 * count);
      _mm256_store_ps(to, _mm256_cvtph_ps(load_eight_halfs(halfs)));
    };
    convert(scales + 2 * first, steps);
    convert(scales + 2 * (of.groups + first), minima);
    const __m256 step = _mm256_set1_ps(static_cast<float>(of.step));
    _mm256_store_ps(steps, _mm256_mul_ps(_mm256_load_ps(steps), step));
  }
};

/// Elements of eight codes; reads four bytes.
template <int bits>
__m256 eight_elements(const std::uint8_t* from, float step, float minimum) {
  int word;
  __builtin_memcpy(&word, from, sizeof word);
  const __m256i first_bits =
      _mm256_setr_epi32(0, bits, 2 * bits, 3 * bits, 4 * bits, 5 * bits, 6 * bits, 7 * bits);
  const __m256i codes = _mm256_and_si256(_mm256_srlv_epi32(_mm256_set1_epi32(word), first_bits),
                                         _mm256_set1_epi32((1 << bits) - 1));
  return _mm256_fmadd_ps(_mm256_cvtepi32_ps(codes), _mm256_set1_ps(step), _mm256_set1_ps(minimum));
}

/// Rows of eight become columns.
void transpose(__m256* v) {
  __m256 pairs[kEightLanes], fours[kEightLanes];
  for (std::size_t i = 0; i < kEightLanes; i += 2) {
    pairs[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
  }
  for (std::size_t i = 0; i < kEightLanes; i += 4)
    for (std::size_t k = 0; k < 2; ++k) {
      fours[i + 2 * k] = _mm256_shuffle_ps(pairs[i + k], pairs[i + k + 2], 0x44);
      fours[i + 2 * k + 1] = _mm256_shuffle_ps(pairs[i + k], pairs[i + k + 2], 0xEE);
    }
  for (std::size_t i = 0; i < 4; ++i) {
    v[i] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20);
    v[i + 4] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31);
  }
}

template <int bits>
void decode(const KiviDecoding& of) {
  const std::size_t next = of.size * bits / 8;  // bytes of a group's codes
  const std::uint8_t* const scales = of.block + of.groups * next;
  for (std::size_t g = 0; g < of.groups; g += kEightLanes) {
    const EightGroups groups(of, scales, g);
    const std::uint8_t* const codes = of.block + g * next;
    if (of.next_group == 1) {
      for (std::size_t t = 0; t < of.size; t += kEightLanes) {
        __m256 v[kEightLanes];
#pragma GCC unroll 8
        for (std::size_t c = 0; c < kEightLanes; ++c)
          v[c] = eight_elements<bits>(codes + c * next + t * bits / 8, groups.steps[c],
                                      groups.minima[c]);
        transpose(v);
        for (std::size_t i = 0; i < kEightLanes; ++i)
          _mm256_storeu_ps(of.x + (t + i) * of.next_element + g, v[i]);
      }
      continue;
    }
    for (std::size_t c = 0; c < kEightLanes && g + c < of.groups; ++c)
      for (std::size_t i = 0; i < of.size; i += kEightLanes)
        _mm256_storeu_ps(of.x + (g + c) * of.next_group + i,
                         eight_elements<bits>(codes + c * next + i * bits / 8, groups.steps[c],
                                              groups.minima[c]));
  }
}

}  // namespace

void decode_kivi(const KiviDecoding& of) {
  if (of.bits == 2) return decode<2>(of);
  if (of.bits == 3) return decode<3>(of);
  decode<4>(of);
}

}  // namespace axelram::AXELRAM_LEVEL
