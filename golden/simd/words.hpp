#pragma once

#include "level_units.hpp"
#include "vector.hpp"

/// Words of a ROM by index.

namespace axelram::AXELRAM_LEVEL {
namespace {

#ifdef __AVX512F__
Integers load_indices(const std::uint8_t* indices) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(indices)));
}

/// `levels` words in a register: 2 to 16.
template <int levels>
class Words {
 public:
  explicit Words(const std::int32_t* words)
      : words_(_mm512_maskz_loadu_epi32(static_cast<__mmask16>((1 << levels) - 1), words)) {}
  Integers at(Integers indices) const { return _mm512_permutexvar_epi32(indices, words_); }

 private:
  Integers words_;
};

template <>
class Words<32> {
 public:
  explicit Words(const std::int32_t* words) : low_(load(words)), high_(load(words + 16)) {}
  Integers at(Integers indices) const { return _mm512_permutex2var_epi32(low_, indices, high_); }

 private:
  Integers low_, high_;
};
#else
Integers load_indices(const std::uint8_t* indices) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(indices)));
}

/// `levels` words in registers: 2, 4 or 8.
template <int levels>
class Words {
 public:
  explicit Words(const std::int32_t* words) {
    alignas(32) std::int32_t all[8] = {};
    __builtin_memcpy(all, words, levels * sizeof all[0]);
    words_ = load(all);
  }
  Integers at(Integers indices) const { return _mm256_permutevar8x32_epi32(words_, indices); }

 private:
  Integers words_;
};

template <>
class Words<16> {
 public:
  explicit Words(const std::int32_t* words) : low_(load(words)), high_(load(words + 8)) {}
  Integers at(Integers indices) const {
    const Integers low = _mm256_permutevar8x32_epi32(low_, indices);
    const Integers high = _mm256_permutevar8x32_epi32(high_, indices);
    const Integers is_high = shift_left32<28>(indices);  // bit 3 of an index
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high),
                                                _mm256_castsi256_ps(is_high)));
  }

 private:
  Integers low_, high_;
};

template <>
class Words<32> {
 public:
  explicit Words(const std::int32_t* words) : low_(words), high_(words + 16) {}
  Integers at(Integers indices) const {
    const Integers is_high = shift_left32<27>(indices);  // bit 4 of an index
    return _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(low_.at(indices)),
                                                _mm256_castsi256_ps(high_.at(indices)),
                                                _mm256_castsi256_ps(is_high)));
  }

 private:
  Words<16> low_, high_;
};
#endif

}  // namespace
}  // namespace axelram::AXELRAM_LEVEL
