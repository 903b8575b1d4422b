#include <immintrin.h>

#include "simd/level_units.hpp"

/// Packing of indices with permutations of a whole register. Sizes are multiples of 32 elements.

namespace axelram::avx512 {
namespace {

/// Bytes t of the packed string taken from byte (t / used) * 8 + t % used: the low `used` bytes of
/// each quadword.
template <int used>
struct Compress {
  constexpr Compress() {
    for (int t = 0; t < 64; ++t) order[t] = static_cast<std::uint8_t>((t / used) * 8 + t % used);
  }
  alignas(64) std::uint8_t order[64] = {};
};

template <int index_bits>
void pack_all(const std::uint8_t* indices, int d, std::uint8_t* record) {
  // Neighbours are joined three times: 2 b bits in a word, 4 b in a doubleword, 8 b in a quadword.
  const __m512i pair = _mm512_set1_epi16(1 | 1 << (8 + index_bits));
  const __m512i quad = _mm512_set1_epi32(1 | 1 << (16 + 2 * index_bits));
  static constexpr Compress<index_bits> kCompress;
  const __m512i order = _mm512_load_si512(kCompress.order);
  for (int i = 0; i < d; i += 64) {
    const int size = d - i < 64 ? d - i : 64;
    const __mmask64 present = size == 64 ? ~__mmask64{0} : (__mmask64{1} << size) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(present, indices + i);
    const __m512i dwords = _mm512_madd_epi16(_mm512_maddubs_epi16(bytes, pair), quad);
    const __m512i qwords = _mm512_or_si512(dwords, _mm512_srli_epi64(dwords, 32 - 4 * index_bits));
    const __mmask64 used = (__mmask64{1} << (size / 8 * index_bits)) - 1;
    _mm512_mask_storeu_epi8(record + i / 8 * index_bits, used,
                            _mm512_permutexvar_epi8(order, qwords));
  }
}

}  // namespace

void pack(const std::uint8_t* indices, int d, int index_bits, std::uint8_t* record) {
  if (index_bits == 1) return pack_all<1>(indices, d, record);
  if (index_bits == 2) return pack_all<2>(indices, d, record);
  if (index_bits == 3) return pack_all<3>(indices, d, record);
  pack_all<4>(indices, d, record);
}

}  // namespace axelram::avx512
