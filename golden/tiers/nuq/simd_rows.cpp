#include "simd/eight.hpp"
#include "simd/floats.hpp"
#include "simd/level_units.hpp"
#include "tiers/nuq/arguments.hpp"

/// Elements of KVQuant rows by their indices (bit-contract.md#nuq): FP32 RNE of FP64 RNE of middle
/// + radius * level. The product is exact. No sum is -0, as no middle is.

namespace axelram::AXELRAM_LEVEL {
namespace {

/// Eight lanes from lane i on.
#ifdef __AVX512F__
inline Eight eight_of(Floats v, std::size_t i) {
  return widened(i == 0 ? _mm512_castps512_ps256(v) : _mm512_extractf32x8_ps(v, 1));
}
#else
inline Eight eight_of(Floats v, std::size_t) { return widened(v); }
#endif

/// Middles and radii of the channels of keys.
struct Ranges {
  alignas(64) double middles[kWidest], radii[kWidest];

  explicit Ranges(const NuqRows& of) {
    for (std::size_t c = 0; c < of.d; c += kEightLanes) {
      store_eight(middles + c, add(eight_halfs(of.middles + c), eight(0)));  // +0 for -0
      store_eight(radii + c, eight_halfs(of.radii + c));
    }
  }
};

template <int bits>
void decode_keys(const NuqRows& of) {
  const CodeWindows<bits> windows;
  const FloatTable<bits> levels(of.levels);
  const Ranges ranges(of);
  constexpr std::size_t kSpare = 8;  // that a window may read behind the indices
  std::uint8_t copy[kWidest * bits / 8 + kSpare] = {};
  for (std::size_t t = 0; t < of.row_count; ++t) {
    const std::uint8_t* row = of.rows + t * of.row_bytes;
    float* const x = of.x + t * of.d;
    if (t + 1 == of.row_count) {  // there may be nothing behind it
      __builtin_memcpy(copy, row, of.d * bits / 8);
      row = copy;
    }
    for (std::size_t c = 0; c < of.d; c += kFloats) {
      const Floats level = levels.at(windows.at(row + c * bits / 8));
      for (std::size_t i = 0; i < kFloats; i += kEightLanes)
        _mm256_storeu_ps(x + c + i,
                         narrowed(multiply_add(load_eight(ranges.radii + c + i), eight_of(level, i),
                                               load_eight(ranges.middles + c + i))));
    }
  }
}

template <int bits>
void decode_values(const NuqRows& of) {
  const CodeWindows<bits> windows;
  for (std::size_t t = 0; t < of.row_count; ++t) {
    const std::uint8_t* const row = of.rows + t * of.row_bytes;
    float* const x = of.x + t * of.d;
    // Extremes are FP16: half their sum and half their difference are exact in FP64.
    alignas(16) std::uint16_t halfs[kEightLanes] = {};
    alignas(64) double extremes[kEightLanes];
    __builtin_memcpy(halfs, row + of.d * bits / 8, 4);
    store_eight(extremes, eight_halfs(halfs));
    const Eight middle = eight((extremes[1] + extremes[0]) / 2 + 0.0);
    const Eight radius = eight((extremes[1] - extremes[0]) / 2);
    alignas(64) float table[kSumLanes];
    for (std::size_t j = 0; j < kSumLanes; j += kEightLanes) {
      const Eight levels = widened(_mm256_loadu_ps(of.levels + j));
      _mm256_store_ps(table + j, narrowed(multiply_add(radius, levels, middle)));
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
