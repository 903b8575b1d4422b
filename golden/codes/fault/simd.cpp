#include "codes/fault/arguments.hpp"
#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// Philox4x32-10, one counter in each quadword: a word of the counter lies in the low half, and the
/// products leave unused bits in the high half (bit-contract.md#philox).

namespace axelram::AXELRAM_LEVEL {
namespace {

/// The lanes whose low half is below the threshold, one bit each.
#ifdef __AVX512F__
std::uint32_t lanes_below(Integers low, Integers threshold) {
  return _mm512_cmplt_epu64_mask(low, threshold);
}
Integers counter_offsets() { return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7); }
#else
std::uint32_t lanes_below(Integers low, Integers threshold) {
  const __m256i less = _mm256_cmpgt_epi64(threshold, low);
  return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(less)));
}
Integers counter_offsets() { return _mm256_setr_epi64x(0, 1, 2, 3); }
#endif

/// Bits i, i + 4, ...: word i of the counters.
std::uint32_t below(Integers words, Integers threshold, std::uint32_t positions) {
  return _pdep_u32(lanes_below(words & broadcast64(0xFFFFFFFF), threshold), positions);
}

/// Bits of kLanes64 counters, four each.
std::uint32_t mask_bits(const FaultStream& stream, Integers counter, Integers threshold) {
  Integers c0 = counter;
  Integers c1 = broadcast64(stream.counter[0]);
  Integers c2 = broadcast64(stream.counter[1]);
  Integers c3 = broadcast64(stream.counter[2]);
  std::uint32_t key0 = stream.key[0];
  std::uint32_t key1 = stream.key[1];
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round, key0 += 0x9E3779B9, key1 += 0xBB67AE85) {
    const Integers a = multiply_even_unsigned(c0, broadcast64(0xD2511F53));
    const Integers b = multiply_even_unsigned(c2, broadcast64(0xCD9E8D57));
    c0 = shift_right64<32>(b) ^ c1 ^ broadcast64(key0);
    c2 = shift_right64<32>(a) ^ c3 ^ broadcast64(key1);
    c1 = b;
    c3 = a;
  }
  return below(c0, threshold, 0x11111111) | below(c1, threshold, 0x22222222) |
         below(c2, threshold, 0x44444444) | below(c3, threshold, 0x88888888);
}

}  // namespace

void fault_blocks(const FaultStream& stream, std::uint32_t first, std::size_t blocks,
                  std::uint8_t* mask) {
  constexpr int kCounters = static_cast<int>(kFaultBlockCounters);
  const Integers threshold = broadcast64(stream.threshold);
  const Integers step = broadcast64(kLanes64);
  Integers counter = add64(broadcast64(first), counter_offsets());
  for (; blocks != 0; --blocks, mask += kFaultBlockBytes) {
    std::uint32_t bits = 0;
#pragma GCC unroll 2
    for (int at = 0; at < kCounters; at += kLanes64, counter = add64(counter, step))
      bits |= mask_bits(stream, counter, threshold) << (4 * at);
    __builtin_memcpy(mask, &bits, sizeof bits);
  }
}

}  // namespace axelram::AXELRAM_LEVEL
