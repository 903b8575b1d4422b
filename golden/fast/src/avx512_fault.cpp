#include <immintrin.h>

#include "fault_kernels.hpp"

/// Philox4x32-10 of eight counters, each word in the low half of a quadword; what the products
/// leave in the high halves is never looked at.

namespace axelram::avx512 {
namespace {

__m512i broadcast(std::uint32_t value) { return _mm512_set1_epi64(value); }

/// Bits i, i + 4, ...: word i of the eight counters.
std::uint32_t below(__m512i words, __m512i threshold, std::uint32_t positions) {
  const __m512i low = _mm512_and_si512(words, broadcast(0xFFFFFFFF));
  return _pdep_u32(_mm512_cmplt_epu64_mask(low, threshold), positions);
}

}  // namespace

void fault_blocks(const FaultStream& stream, std::uint32_t first, std::size_t blocks,
                  std::uint8_t* mask) {
  const __m512i threshold = _mm512_set1_epi64(static_cast<long long>(stream.threshold));
  __m512i counter = _mm512_add_epi64(broadcast(first), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  for (; blocks != 0; --blocks, mask += kFaultBlockBytes) {
    __m512i c0 = counter;
    __m512i c1 = broadcast(stream.counter[0]);
    __m512i c2 = broadcast(stream.counter[1]);
    __m512i c3 = broadcast(stream.counter[2]);
    std::uint32_t key0 = stream.key[0];
    std::uint32_t key1 = stream.key[1];
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9, key1 += 0xBB67AE85) {
      const __m512i a = _mm512_mul_epu32(c0, broadcast(0xD2511F53));
      const __m512i b = _mm512_mul_epu32(c2, broadcast(0xCD9E8D57));
      c0 = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(b, 32), c1), broadcast(key0));
      c2 = _mm512_xor_si512(_mm512_xor_si512(_mm512_srli_epi64(a, 32), c3), broadcast(key1));
      c1 = b;
      c3 = a;
    }
    const std::uint32_t bits = below(c0, threshold, 0x11111111) | below(c1, threshold, 0x22222222) |
                               below(c2, threshold, 0x44444444) | below(c3, threshold, 0x88888888);
    __builtin_memcpy(mask, &bits, sizeof bits);
    counter = _mm512_add_epi64(counter, broadcast(kFaultBlockCounters));
  }
}

}  // namespace axelram::avx512
