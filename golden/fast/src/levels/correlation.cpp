#include "../level_units.hpp"
#include "vector.hpp"

/// Sum of rotated elements times the centroid words of their indices.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr int kWords = 16;

#ifdef __AVX512F__
Integers load_indices(const std::uint8_t* indices) {
  return _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(indices)));
}

class Words {
 public:
  explicit Words(const std::int32_t* words) : words_(load(words)) {}
  Integers at(Integers indices) const { return _mm512_permutexvar_epi32(indices, words_); }

 private:
  Integers words_;
};
#else
Integers load_indices(const std::uint8_t* indices) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(indices)));
}

class Words {
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
#endif

}  // namespace

std::int64_t correlation(const std::int32_t* y, const std::uint8_t* indices, int d,
                         const std::int32_t* centroids, int levels) {
  std::int32_t padded[kWords] = {};
  __builtin_memcpy(padded, centroids, static_cast<std::size_t>(levels) * sizeof padded[0]);
  const Words words(padded);
  Integers even = zeros();
  Integers odd = zeros();
  for (int i = 0; i < d; i += kLanes32) {
    const Integers element = load(y + i);
    const Integers word = words.at(load_indices(indices + i));
    even = add64(even, multiply_even(element, word));
    odd = add64(odd, multiply_even(shift_right64<32>(element), shift_right64<32>(word)));
  }
  return static_cast<std::int64_t>(sum64(add64(even, odd)));
}

}  // namespace axelram::AXELRAM_LEVEL
