#include "../level_units.hpp"
#include "vector.hpp"

/// Sum of rotated elements times the centroid words of their indices.

namespace axelram::AXELRAM_LEVEL {
namespace {

#ifdef __AVX512F__
Integers load_indices(const std::uint8_t* indices) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(indices)));
}

/// `levels` words in a register.
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

/// `levels` words in registers: 4 or 8.
template <int levels>
class Words {
 public:
  explicit Words(const std::int32_t* words)
      : words_(levels == 4 ? _mm256_castsi128_si256(load_half(words)) : load(words)) {}
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

template <int levels>
std::int64_t correlation_of(const std::int32_t* y, const std::uint8_t* indices, int d,
                            const std::int32_t* centroids) {
  const Words<levels> words(centroids);
  Integers even = zeros();
  Integers odd = zeros();
  for (int i = 0; i < d; i += kLanes32) {
    const Integers element = load(y + i);
    const Integers word = words.at(load_indices(indices + i));
    even = add64(even, multiply_even(element, word));
    odd = add64(odd, multiply_even(odd_lanes(element), odd_lanes(word)));
  }
  return static_cast<std::int64_t>(sum64(add64(even, odd)));
}

}  // namespace

std::int64_t correlation(const std::int32_t* y, const std::uint8_t* indices, int d,
                         const std::int32_t* centroids, int levels) {
  if (levels == 4) return correlation_of<4>(y, indices, d, centroids);
  if (levels == 8) return correlation_of<8>(y, indices, d, centroids);
  if (levels == 16) return correlation_of<16>(y, indices, d, centroids);
  return correlation_of<32>(y, indices, d, centroids);
}

}  // namespace axelram::AXELRAM_LEVEL
