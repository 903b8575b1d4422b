#pragma once

#include "vector.hpp"

/// Registers of FP32 and the codes of tiers in their lanes.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kSumLanes = 16;  // of lane_dot_ref
constexpr std::size_t kWidest = 256;   // channels of a row

#ifdef __AVX512F__
constexpr std::size_t kFloats = 16;

inline Floats no_floats() { return _mm512_setzero_ps(); }
inline Floats broadcast(float v) { return _mm512_set1_ps(v); }
inline Floats load_floats(const float* from) { return _mm512_loadu_ps(from); }
inline void store_floats(float* to, Floats v) { _mm512_storeu_ps(to, v); }
/// The first `count` lanes.
inline void store_floats(float* to, Floats v, std::size_t count) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1), v);
}
inline Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
inline Floats multiply(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
inline Floats multiply_add(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
inline Floats floats_from(Integers v) { return _mm512_cvtepi32_ps(v); }
inline Integers bit_and(Integers a, Integers b) { return _mm512_and_si512(a, b); }
inline Floats load_halfs(const void* from) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(from)));
}

/// Codes of neighbours, lowest first, in the lowest bits of the lanes; above them lie others.
template <int bits>
class CodeWindows {
 public:
  static constexpr std::size_t kBytes = kFloats * bits / 8;

  CodeWindows() {
    alignas(64) std::uint8_t first_bit[64];
    for (int byte = 0; byte < 64; ++byte)
      first_bit[byte] = static_cast<std::uint8_t>(byte / 4 * bits + byte % 4 * 8);
    first_bits_ = load(first_bit);
  }
  /// Reads 8 bytes.
  Integers at(const std::uint8_t* from) const {
    std::uint64_t codes;
    __builtin_memcpy(&codes, from, sizeof codes);
    return _mm512_multishift_epi64_epi8(first_bits_, broadcast64(codes));
  }

 private:
  Integers first_bits_;
};

/// Floats by code. all: 16 of them, that of code j at j and j + 2^bits, ..., or a register of them
/// if that has all codes.
template <int bits>
class FloatTable {
 public:
  explicit FloatTable(const float* all) : all_(load_floats(all)) {}
  explicit FloatTable(Floats all) : all_(all) {}
  Floats at(Integers codes) const { return _mm512_permutexvar_ps(codes, all_); }

 private:
  Floats all_;
};

/// The sum of 16 lanes as lane_dot_ref adds them.
inline float sum_lanes(const Floats* v) {
  const __m256 by8 = _mm256_add_ps(_mm512_castps512_ps256(v[0]), _mm512_extractf32x8_ps(v[0], 1));
#else
constexpr std::size_t kFloats = 8;

inline Floats no_floats() { return _mm256_setzero_ps(); }
inline Floats broadcast(float v) { return _mm256_set1_ps(v); }
inline Floats load_floats(const float* from) { return _mm256_loadu_ps(from); }
inline void store_floats(float* to, Floats v) { _mm256_storeu_ps(to, v); }
inline void store_floats(float* to, Floats v, std::size_t) { _mm256_storeu_ps(to, v); }
inline Floats add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
inline Floats multiply(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
inline Floats multiply_add(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
inline Floats floats_from(Integers v) { return _mm256_cvtepi32_ps(v); }
inline Integers bit_and(Integers a, Integers b) { return _mm256_and_si256(a, b); }
inline Floats load_halfs(const void* from) {
  return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(from)));
}

template <int bits>
class CodeWindows {
 public:
  static constexpr std::size_t kBytes = kFloats * bits / 8;

  CodeWindows()
      : first_bits_(_mm256_setr_epi32(0, bits, 2 * bits, 3 * bits, 4 * bits, 5 * bits, 6 * bits,
                                      7 * bits)) {}
  /// Reads 4 bytes.
  Integers at(const std::uint8_t* from) const {
    int codes;
    __builtin_memcpy(&codes, from, sizeof codes);
    return _mm256_srlv_epi32(broadcast32(codes), first_bits_);
  }

 private:
  Integers first_bits_;
};

template <int bits>
class FloatTable {
 public:
  explicit FloatTable(const float* all) : low_(load_floats(all)), high_(load_floats(all + 8)) {}
  explicit FloatTable(Floats all) : low_(all), high_(all) {}
  Floats at(Integers codes) const {
    if constexpr (bits == 2) return _mm256_permutevar_ps(low_, codes);
    const Floats low = _mm256_permutevar8x32_ps(low_, codes);
    if constexpr (bits == 3) return low;
    const Floats high = _mm256_permutevar8x32_ps(high_, codes);
    return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(shift_left32<28>(codes)));
  }

 private:
  Floats low_, high_;
};

inline float sum_lanes(const Floats* v) {
  const __m256 by8 = _mm256_add_ps(v[0], v[1]);
#endif
  const __m128 by4 = _mm_add_ps(_mm256_castps256_ps128(by8), _mm256_extractf128_ps(by8, 1));
  const __m128 by2 = _mm_add_ps(by4, _mm_movehl_ps(by4, by4));
  return _mm_cvtss_f32(_mm_add_ss(by2, _mm_movehdup_ps(by2)));
}

/// Registers that have the lanes of lane_dot_ref.
constexpr std::size_t kSumRegisters = kSumLanes / kFloats;

/// Codes in the lowest bits of the lanes.
template <int bits>
inline Floats floats_of(Integers codes) {
  return floats_from(bit_and(codes, broadcast32((1 << bits) - 1)));
}

/// 0, 1, 2, ... by the lowest bits of the lane.
template <int bits>
inline Floats counted_codes() {
  alignas(64) float codes[kSumLanes];
  for (unsigned j = 0; j < kSumLanes; ++j) codes[j] = static_cast<float>(j % (1U << bits));
  return load_floats(codes);
}

}  // namespace
}  // namespace axelram::AXELRAM_LEVEL
