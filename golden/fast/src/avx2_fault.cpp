#include <immintrin.h>

#include "fault_kernels.hpp"

/// Philox4x32-10 of four counters, each word in the low half of a quadword; what the products leave
/// in the high halves is never looked at.

namespace axelram::avx2 {
namespace {

__m256i broadcast(std::uint32_t value) { return _mm256_set1_epi64x(value); }

/// Bits i, i + 4, ...: word i of the four counters.
std::uint32_t below(__m256i words, __m256i threshold, std::uint32_t positions) {
  const __m256i low = _mm256_and_si256(words, broadcast(0xFFFFFFFF));
  const __m256i less = _mm256_cmpgt_epi64(threshold, low);
  const auto ones = static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(less)));
  return _pdep_u32(ones, positions);
}

std::uint32_t four_counters(const FaultStream& stream, __m256i counter, __m256i threshold) {
  __m256i c0 = counter;
  __m256i c1 = broadcast(stream.counter[0]);
  __m256i c2 = broadcast(stream.counter[1]);
  __m256i c3 = broadcast(stream.counter[2]);
  std::uint32_t key0 = stream.key[0];
  std::uint32_t key1 = stream.key[1];
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9, key1 += 0xBB67AE85) {
    const __m256i a = _mm256_mul_epu32(c0, broadcast(0xD2511F53));
    const __m256i b = _mm256_mul_epu32(c2, broadcast(0xCD9E8D57));
    c0 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(b, 32), c1), broadcast(key0));
    c2 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), c3), broadcast(key1));
    c1 = b;
    c3 = a;
  }
  return below(c0, threshold, 0x1111) | below(c1, threshold, 0x2222) |
         below(c2, threshold, 0x4444) | below(c3, threshold, 0x8888);
}

}  // namespace

void fault_blocks(const FaultStream& stream, std::uint32_t first, std::size_t blocks,
                  std::uint8_t* mask) {
  const __m256i threshold = _mm256_set1_epi64x(static_cast<long long>(stream.threshold));
  const __m256i four = broadcast(4);
  __m256i counter = _mm256_add_epi64(broadcast(first), _mm256_setr_epi64x(0, 1, 2, 3));
  for (; blocks != 0; --blocks, mask += kFaultBlockBytes) {
    const __m256i next = _mm256_add_epi64(counter, four);
    const std::uint32_t bits =
        four_counters(stream, counter, threshold) | four_counters(stream, next, threshold) << 16;
    __builtin_memcpy(mask, &bits, sizeof bits);
    counter = _mm256_add_epi64(next, four);
  }
}

}  // namespace axelram::avx2
