#include <immintrin.h>

#include "codes/codewords/avx2_halves.hpp"
#include "codes/codewords/block_coder.hpp"
#include "codes/codewords/simd_status_counts.hpp"

/// Codes of 64 data and eight check bits. Of sixteen words register r holds words 2 r and 2 r + 1,
/// and in its upper half words 8 + 2 r and 9 + 2 r. Apart from the AVX-512 source: shuffles stay
/// within 16 bytes here.

namespace axelram::avx2 {
namespace {

constexpr std::size_t kBlockWords = 16;
constexpr std::size_t kPairBytes = 18;
constexpr std::size_t kHalfBytes = 4 * kPairBytes;

/// Byte orders of the shuffles, for each half of a register. The 18 bytes of a pair of codewords
/// lie in two registers, bytes 0..15 and 2..17.
struct Orders {
  constexpr Orders() {
    for (int i = 0; i < 32; ++i) {
      const int at = i % 16;
      interleave[i] = static_cast<std::uint8_t>(at % 2 * 8 + at / 2);
      for (int r = 0; r < 4; ++r)
        split_check[r][i] = at / 2 == r ? static_cast<std::uint8_t>(at % 2 * 9 + 6) : kNone;
      for (int part = 0; part < 2; ++part) {
        const int to = 2 * part + at;
        const int word = to / 9;
        const bool check = to % 9 == 8;
        join_data[part][i] = check ? kNone : static_cast<std::uint8_t>(8 * word + to % 9);
        join_check[part][i] = check ? static_cast<std::uint8_t>(word) : kNone;
      }
    }
    for (int r = 0; r < 4; ++r)
      for (int i = 0; i < 16; ++i) {
        const int word = i / 8 * 8 + 2 * r + i / 4 % 2;
        syndromes[r][i] = i % 4 == 0 ? static_cast<std::uint8_t>(word) : kNone;
      }
  }
  alignas(32) std::uint8_t interleave[32] = {};
  alignas(32) std::uint8_t split_check[4][32] = {};
  alignas(32) std::uint8_t join_data[2][32] = {};
  alignas(32) std::uint8_t join_check[2][32] = {};
  alignas(16) std::uint8_t syndromes[4][16] = {};
};
constexpr Orders kOrders;

/// Check bits of two bytes of every word: bytes 2 j of sixteen words, and in the upper half their
/// bytes 2 j + 1.
__m256i column_checks(const CodeTables& tables, int j, __m256i columns) {
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i bytes = _mm256_permute4x64_epi64(columns, 0xD8);
  const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), nibble);
  return _mm256_xor_si256(
      _mm256_shuffle_epi8(load(tables.low_checks + 32 * j), _mm256_and_si256(bytes, nibble)),
      _mm256_shuffle_epi8(load(tables.high_checks + 32 * j), upper));
}

/// Check bits of sixteen words in four registers.
__m128i checks(const CodeTables& tables, const __m256i (&words)[4]) {
  const __m256i order = load(kOrders.interleave);
  const __m256i r0 = _mm256_shuffle_epi8(words[0], order);
  const __m256i r1 = _mm256_shuffle_epi8(words[1], order);
  const __m256i r2 = _mm256_shuffle_epi8(words[2], order);
  const __m256i r3 = _mm256_shuffle_epi8(words[3], order);
  const __m256i low01 = _mm256_unpacklo_epi16(r0, r1);
  const __m256i low23 = _mm256_unpacklo_epi16(r2, r3);
  const __m256i high01 = _mm256_unpackhi_epi16(r0, r1);
  const __m256i high23 = _mm256_unpackhi_epi16(r2, r3);
  const __m256i sum0 =
      _mm256_xor_si256(column_checks(tables, 0, _mm256_unpacklo_epi32(low01, low23)),
                       column_checks(tables, 1, _mm256_unpackhi_epi32(low01, low23)));
  const __m256i sum1 =
      _mm256_xor_si256(column_checks(tables, 2, _mm256_unpacklo_epi32(high01, high23)),
                       column_checks(tables, 3, _mm256_unpackhi_epi32(high01, high23)));
  const __m256i sum = _mm256_xor_si256(sum0, sum1);
  return _mm_xor_si128(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
}

/// Statuses of sixteen syndromes: their low bits, then their high bits.
std::uint32_t statuses_of(const CodeTables& tables, __m128i syndromes) {
  const __m256i both = _mm256_broadcastsi128_si256(syndromes);
  const __m256i index = _mm256_and_si256(_mm256_srli_epi16(both, 3), _mm256_set1_epi8(15));
  const __m256i found =
      _mm256_blendv_epi8(_mm256_shuffle_epi8(load(tables.status_bits[0]), index),
                         _mm256_shuffle_epi8(load(tables.status_bits[1]), index), both);
  const __m256i powers = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
  const __m256i bit = _mm256_shuffle_epi8(powers, _mm256_and_si256(both, _mm256_set1_epi8(7)));
  const __m256i hit = _mm256_cmpeq_epi8(_mm256_and_si256(found, bit), bit);
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(hit));
}

__m256i errors_of(const CodeTables& tables, int r, __m128i syndromes) {
  const void* const errors = tables.errors;
  const __m128i index = _mm_shuffle_epi8(syndromes, load128(kOrders.syndromes[r]));
  return _mm256_i32gather_epi64(static_cast<const long long*>(errors), index, 8);
}

void encode(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
            std::uint8_t* codewords) {
  for (; blocks != 0; --blocks, data += 128, codewords += 2 * kHalfBytes) {
    __m256i words[4];
    for (int r = 0; r < 4; ++r) words[r] = load_halves(data + 16 * r, data + 64 + 16 * r);
    const __m128i check = checks(tables, words);
    __m256i halves =
        _mm256_inserti128_si256(_mm256_castsi128_si256(check), _mm_unpackhi_epi64(check, check), 1);
    for (std::size_t r = 0; r < 4; ++r, halves = _mm256_srli_si256(halves, 2))
      for (int part = 0; part < 2; ++part) {
        std::uint8_t* const to = codewords + kPairBytes * r + 2 * part;
        store_halves(to, to + kHalfBytes,
                     _mm256_or_si256(_mm256_shuffle_epi8(words[r], load(kOrders.join_data[part])),
                                     _mm256_shuffle_epi8(halves, load(kOrders.join_check[part]))));
      }
  }
}

void decode(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
            std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  StatusCounts counts;
  for (; blocks != 0; --blocks, codewords += 2 * kHalfBytes, data += 128) {
    __m256i words[4];
    __m256i received = _mm256_setzero_si256();
    for (std::size_t r = 0; r < 4; ++r) {
      const std::uint8_t* const from = codewords + kPairBytes * r;
      const __m256i first = load_halves(from, from + kHalfBytes);
      const __m256i second = load_halves(from + 2, from + kHalfBytes + 2);
      words[r] = _mm256_unpacklo_epi64(first, _mm256_srli_si256(second, 7));
      received =
          _mm256_or_si256(received, _mm256_shuffle_epi8(second, load(kOrders.split_check[r])));
    }
    const __m128i syndromes = _mm_xor_si128(
        checks(tables, words), _mm_unpacklo_epi64(_mm256_castsi256_si128(received),
                                                  _mm256_extracti128_si256(received, 1)));
    std::uint32_t marks = 0;
    if (_mm_testz_si128(syndromes, syndromes) == 0) {
      for (int r = 0; r < 4; ++r)
        words[r] = _mm256_xor_si256(words[r], errors_of(tables, r, syndromes));
      const std::uint32_t found = statuses_of(tables, syndromes);
      const std::uint32_t low = found & 0xFFFF;
      const std::uint32_t high = found >> 16;
      counts.add(low, high);
      marks = _pdep_u32(low, 0x55555555) | _pdep_u32(high, 0xAAAAAAAA);
    }
    for (int r = 0; r < 4; ++r) store_halves(data + 16 * r, data + 64 + 16 * r, words[r]);
    if (statuses == nullptr) continue;
    __builtin_memcpy(statuses, &marks, sizeof marks);
    statuses += kBlockWords / 4;
  }
  counts.add_to(errors);
}

}  // namespace

const BlockCoder kSecded64 = {kBlockWords, encode, decode};

}  // namespace axelram::avx2
