#include "simd/level_units.hpp"
#include "simd_steps.hpp"
#include "tiers/kivi/arguments.hpp"

/// Codes of KIVI (bit-contract.md#kivi), eight at a time.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kMostGroups = 256;

/// The extremes of groups; those behind the last are 0.
struct Extremes {
  alignas(64) float least[kMostGroups], largest[kMostGroups];
};

/// Least and largest of `count` vectors of eight elements; *infinite collects lanes that are not
/// finite.
struct EightExtremes {
  __m256 least, largest;

  EightExtremes(const std::uint16_t* x, std::size_t count, std::size_t next, __m128i* infinite) {
    const __m128i exponent = _mm_set1_epi16(0x7C00);
    least = largest = _mm256_cvtph_ps(load_eight_halfs(x));
    for (std::size_t i = 0; i < count; ++i, x += next) {
      const __m128i halfs = load_eight_halfs(x);
      *infinite =
          _mm_or_si128(*infinite, _mm_cmpeq_epi16(_mm_and_si128(halfs, exponent), exponent));
      const __m256 floats = _mm256_cvtph_ps(halfs);
      least = _mm256_min_ps(least, floats);
      largest = _mm256_max_ps(largest, floats);
    }
  }
};

/// False if an element is not finite.
bool find_extremes(const KiviEncoding& of, Extremes* extremes) {
  __m128i infinite = _mm_setzero_si128();
  if (of.next_group == 1) {
    for (std::size_t g = 0; g < of.groups; g += kEightLanes) {
      const EightExtremes of_eight(of.x + g, of.size, of.next_element, &infinite);
      _mm256_store_ps(extremes->least + g, of_eight.least);
      _mm256_store_ps(extremes->largest + g, of_eight.largest);
    }
  } else {
    for (std::size_t g = 0; g < of.groups; ++g) {
      const EightExtremes lanes(of.x + g * of.next_group, of.size / kEightLanes, kEightLanes,
                                &infinite);
      // Negated, the least are the largest, too: one reduction for both.
      const __m256 minus = _mm256_xor_ps(lanes.least, _mm256_set1_ps(-0.0F));
      const __m256 low = _mm256_permute2f128_ps(minus, lanes.largest, 0x20);
      const __m256 high = _mm256_permute2f128_ps(minus, lanes.largest, 0x31);
      __m256 most = _mm256_max_ps(low, high);
      most = _mm256_max_ps(most, _mm256_permute_ps(most, 0x4E));
      most = _mm256_max_ps(most, _mm256_permute_ps(most, 0xB1));
      extremes->least[g] = -_mm256_cvtss_f32(most);
      extremes->largest[g] = _mm_cvtss_f32(_mm256_extractf128_ps(most, 1));
    }
    for (std::size_t g = of.groups; g % kEightLanes != 0; ++g)
      extremes->least[g] = extremes->largest[g] = 0;
  }
  return _mm_movemask_epi8(infinite) == 0;
}

/// Scales and minima, FP16, and what codes are made from: minima, and inverses of scales (0 of a
/// scale of 0).
struct Steps {
  alignas(64) double minima[kMostGroups], inverses[kMostGroups];
  alignas(16) std::uint16_t scale_halfs[kMostGroups], minimum_halfs[kMostGroups];
};

/// FP16 RNE of (largest - least) / most for eight groups. The FP64 quotient is as good as the exact
/// one: that is a multiple of 2^-24 / most, a tie between FP16 numbers one of 2^-25, and FP64 has
/// the quotient within 2^-37.
Eight scales(Eight least, Eight largest, int most) {
  return rounded_to_half(divide(subtract(largest, least), eight(most)));
}

void make_steps(const KiviEncoding& of, const Extremes& extremes, Steps* steps) {
  const auto store = [](std::uint16_t* to, __m256 floats) {
    _mm_store_si128(reinterpret_cast<__m128i*>(to),
                    _mm256_cvtps_ph(floats, _MM_FROUND_TO_NEAREST_INT));
  };
  for (std::size_t g = 0; g < of.groups; g += kEightLanes) {
    // +0 in the place of -0
    const __m256 least = _mm256_add_ps(_mm256_load_ps(extremes.least + g), _mm256_setzero_ps());
    const Eight minima = widened(least);
    const Eight scale =
        scales(minima, widened(_mm256_load_ps(extremes.largest + g)), (1 << of.bits) - 1);
    store_eight(steps->minima + g, minima);
    store_eight(steps->inverses + g, where_not_zero(scale, divide(eight(1), scale)));
    store(steps->scale_halfs + g, narrowed(scale));
    store(steps->minimum_halfs + g, least);
  }
}

/// Behind the codes, the last of which may have written there.
void store_ranges(const KiviEncoding& of, const Steps& steps) {
  std::uint8_t* const behind =
      of.block + of.groups * of.size * static_cast<std::size_t>(of.bits) / 8;
  __builtin_memcpy(behind, steps.scale_halfs, 2 * of.groups);
  __builtin_memcpy(behind + 2 * of.groups, steps.minimum_halfs, 2 * of.groups);
}

/// Keys: eight channels in the lanes, and eight tokens in a word of each.
template <int bits>
void store_key_codes(const KiviEncoding& of, const Steps& steps) {
  constexpr std::size_t kWords = 256 / kEightLanes;
  alignas(32) std::uint32_t words[kWords][kEightLanes];
  const std::size_t count = of.size / kEightLanes;
  std::uint8_t* to = of.block;
  for (std::size_t g = 0; g < of.groups; g += kEightLanes) {
    const Eight minima = load_eight(steps.minima + g), inverses = load_eight(steps.inverses + g);
    const std::uint16_t* x = of.x + g;
    for (std::size_t w = 0; w < count; ++w) {
      __m256i word = _mm256_setzero_si256();
#pragma GCC unroll 8
      for (int t = 0; t < 8; ++t, x += of.next_element)
        word = _mm256_or_si256(
            word, _mm256_slli_epi32(eight_codes<bits>(eight_halfs(x), minima, inverses), bits * t));
      _mm256_store_si256(reinterpret_cast<__m256i*>(words[w]), word);
    }
    // With 2 and 3 bits a word is written over by the next, the last of all by the scales.
    for (std::size_t c = 0; c < kEightLanes; ++c)
      for (std::size_t w = 0; w < count; ++w, to += bits) __builtin_memcpy(to, &words[w][c], 4);
  }
}

/// Values: eight channels of a group in the lanes.
template <int bits>
void store_value_codes(const KiviEncoding& of, const Steps& steps) {
  std::uint8_t* to = of.block;
  for (std::size_t g = 0; g < of.groups; ++g) {
    const Eight minimum = eight(steps.minima[g]), inverse = eight(steps.inverses[g]);
    const std::uint16_t* const x = of.x + g * of.next_group;
    for (std::size_t i = 0; i < of.size; i += kEightLanes, to += bits)
      store_eight_codes<bits>(eight_codes<bits>(eight_halfs(x + i), minimum, inverse), to);
  }
}

template <int bits>
void store_codes(const KiviEncoding& of, const Steps& steps) {
  if (of.next_group == 1) return store_key_codes<bits>(of, steps);
  store_value_codes<bits>(of, steps);
}

}  // namespace

bool encode_kivi(const KiviEncoding& of) {
  Extremes extremes;
  if (!find_extremes(of, &extremes)) return false;
  Steps steps;
  make_steps(of, extremes, &steps);
  if (of.bits == 2)
    store_codes<2>(of, steps);
  else if (of.bits == 3)
    store_codes<3>(of, steps);
  else
    store_codes<4>(of, steps);
  store_ranges(of, steps);
  return true;
}

}  // namespace axelram::AXELRAM_LEVEL
