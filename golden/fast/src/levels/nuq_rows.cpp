#include "../level_units.hpp"
#include "../tier_reads.hpp"
#include "floats.hpp"

/// Elements of KVQuant rows by their indices (bit-contract.md#nuq): FP64 sums, rounded to FP32.

namespace axelram::AXELRAM_LEVEL {
namespace {

#ifdef __AVX512F__
using Doubles = __m512d;
inline Doubles widened(Floats v, int half) {
  return _mm512_cvtps_pd(half == 0 ? _mm512_castps512_ps256(v) : _mm512_extractf32x8_ps(v, 1));
}
inline Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return _mm512_fmadd_pd(a, b, c); }
inline Floats narrowed(Doubles low, Doubles high) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(low)), _mm512_cvtpd_ps(high), 1);
}
inline Doubles broadcast(double v) { return _mm512_set1_pd(v); }
#else
using Doubles = __m256d;
inline Doubles widened(Floats v, int half) {
  return _mm256_cvtps_pd(half == 0 ? _mm256_castps256_ps128(v) : _mm256_extractf128_ps(v, 1));
}
inline Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return _mm256_fmadd_pd(a, b, c); }
inline Floats narrowed(Doubles low, Doubles high) {
  return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(low)), _mm256_cvtpd_ps(high),
                              1);
}
inline Doubles broadcast(double v) { return _mm256_set1_pd(v); }
#endif

/// FP32 RNE of FP64 RNE of middle + radius * level: the product is exact. No sum is -0 if the
/// middle is not.
inline Floats elements(Floats levels, Floats middles, Floats radii) {
  const Doubles low = multiply_add(widened(radii, 0), widened(levels, 0), widened(middles, 0));
  const Doubles high = multiply_add(widened(radii, 1), widened(levels, 1), widened(middles, 1));
  return narrowed(low, high);
}

template <int bits>
void decode_keys(const NuqRows& of) {
  const CodeWindows<bits> windows;
  const FloatTable<bits> levels(of.levels);
  constexpr std::size_t kSpare = 8;  // that a window may read behind the indices
  std::uint8_t copy[kWidest * bits / 8 + kSpare] = {};
  for (std::size_t t = 0; t < of.row_count; ++t) {
    const std::uint8_t* row = of.rows + t * of.row_bytes;
    float* const x = of.x + t * of.d;
    if (t + 1 == of.row_count) {  // there may be nothing behind it
      __builtin_memcpy(copy, row, of.d * bits / 8);
      row = copy;
    }
    for (std::size_t c = 0; c < of.d; c += kFloats)
      store_floats(
          x + c, elements(levels.at(windows.at(row + c * bits / 8)),
                          add(load_halfs(of.middles + c), no_floats()), load_halfs(of.radii + c)));
  }
}

template <int bits>
void decode_values(const NuqRows& of) {
  const CodeWindows<bits> windows;
  for (std::size_t t = 0; t < of.row_count; ++t) {
    const std::uint8_t* const row = of.rows + t * of.row_bytes;
    float* const x = of.x + t * of.d;
    // Extremes are FP16: half their sum and half their difference are exact in FP64.
    alignas(64) std::uint16_t halfs[kSumLanes] = {};
    alignas(64) float extremes[kFloats];
    __builtin_memcpy(halfs, row + of.d * bits / 8, 4);
    store_floats(extremes, load_halfs(halfs));
    const double least = extremes[0], largest = extremes[1];
    const Doubles middle = broadcast((largest + least) / 2 + 0.0);
    const Doubles radius = broadcast((largest - least) / 2);
    alignas(64) float table[kSumLanes];
    for (std::size_t j = 0; j < kSumLanes; j += kFloats) {
      const Floats levels = load_floats(of.levels + j);
      store_floats(table + j, narrowed(multiply_add(radius, widened(levels, 0), middle),
                                       multiply_add(radius, widened(levels, 1), middle)));
    }
    const FloatTable<bits> by_index(table);
    for (std::size_t c = 0; c < of.d; c += kFloats)
      store_floats(x + c, by_index.at(windows.at(row + c * bits / 8)));
  }
}

template <int bits>
void decode(const NuqRows& of) {
  if (of.middles != nullptr) return decode_keys<bits>(of);
  decode_values<bits>(of);
}

}  // namespace

void decode_nuq_rows(const NuqRows& of) {
  if (of.bits == 2) return decode<2>(of);
  if (of.bits == 3) return decode<3>(of);
  decode<4>(of);
}

}  // namespace axelram::AXELRAM_LEVEL
