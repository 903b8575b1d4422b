#include <immintrin.h>

#include "simd/level_units.hpp"

/// Apart from the AVX2 source: permutations of a whole register search the thresholds. Sizes are
/// multiples of 32 elements.

namespace axelram::avx512 {
namespace {

/// The 64 bytes of four registers of 16 words below 256, in order.
__m512i narrow(__m512i a, __m512i b, __m512i c, __m512i d) {
  const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  const __m512i bytes = _mm512_packus_epi16(_mm512_packus_epi32(a, b), _mm512_packus_epi32(c, d));
  return _mm512_permutexvar_epi32(order, bytes);
}

/// Binary search among 2^index_bits - 1 ascending thresholds, one in each lane of `table`.
template <int index_bits>
class Search {
 public:
  explicit Search(const std::int32_t* thresholds) {
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __mmask16 present = static_cast<__mmask16>((1u << ((1 << index_bits) - 1)) - 1);
    const __m512i table = _mm512_maskz_loadu_epi32(present, thresholds);
    for (int bit = 0; bit < index_bits; ++bit) {
      // Lane i of step `bit` holds threshold i + 2^bit - 1: what index i is compared with to add
      // 2^bit.
      const __m512i from = _mm512_add_epi32(lane, _mm512_set1_epi32((1 << bit) - 1));
      steps_[bit] = _mm512_permutexvar_epi32(from, table);
    }
    first_ = _mm512_set1_epi32(thresholds[(1 << (index_bits - 1)) - 1]);
  }

  __m512i operator()(const std::int32_t* y) const {
    const __m512i value = _mm512_loadu_si512(y);
    __mmask16 above = _mm512_cmpgt_epi32_mask(value, first_);
    __m512i index = _mm512_maskz_set1_epi32(above, 1 << (index_bits - 1));
#pragma GCC unroll 3
    for (int bit = index_bits - 2; bit >= 0; --bit) {
      above = _mm512_cmpgt_epi32_mask(value, _mm512_permutexvar_epi32(index, steps_[bit]));
      index = _mm512_mask_add_epi32(index, above, index, _mm512_set1_epi32(1 << bit));
    }
    return index;
  }

 private:
  __m512i steps_[index_bits];
  __m512i first_;
};

template <int index_bits>
void quantize_all(const std::int32_t* y, int d, const std::int32_t* thresholds,
                  std::uint8_t* indices) {
  const Search<index_bits> search(thresholds);
  for (int i = 0; i < d; i += 64) {
    const __m512i a = search(y + i);
    const __m512i b = search(y + i + 16);
    if (d - i < 64) {  // d = 32 only
      const __m512i bytes = narrow(a, b, a, b);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(indices + i), _mm512_castsi512_si256(bytes));
      return;
    }
    _mm512_storeu_si512(indices + i, narrow(a, b, search(y + i + 32), search(y + i + 48)));
  }
}

}  // namespace

void quantize(const std::int32_t* y, int d, const std::int32_t* thresholds, int count,
              std::uint8_t* indices) {
  if (count == 1) return quantize_all<1>(y, d, thresholds, indices);
  if (count == 3) return quantize_all<2>(y, d, thresholds, indices);
  if (count == 7) return quantize_all<3>(y, d, thresholds, indices);
  quantize_all<4>(y, d, thresholds, indices);
}

}  // namespace axelram::avx512
