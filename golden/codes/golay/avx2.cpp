#include <immintrin.h>

#include "codes/codewords/avx2_halves.hpp"
#include "codes/codewords/block_coder.hpp"
#include "codes/codewords/simd_status_counts.hpp"

/// Codes of twelve data and twelve check bits, a word in each 16-bit lane. Apart from the AVX-512
/// source: shuffles stay within 16 bytes here, so codewords lie in two registers by halves.

namespace axelram::avx2 {
namespace {

constexpr std::size_t kBlockWords = 16;
constexpr std::size_t kDataBytes = kBlockWords * 12 / 8;
constexpr std::size_t kCodeBytes = kBlockWords * 24 / 8;

/// Byte orders of the shuffles, for each half of a register. The 24 bytes of eight codewords lie in
/// two registers, bytes 0..15 and 8..23.
struct Orders {
  constexpr Orders() {
    for (int i = 0; i < 32; ++i) {
      const int half = i / 16;
      const int at = i % 16;
      const int lane = at / 2;
      const int byte = at % 2;
      // The second half of the data is loaded from four bytes before it.
      split_data[i] = static_cast<std::uint8_t>(4 * half + lane / 2 * 3 + byte + lane % 2);
      join_data[i] = at < 12 ? static_cast<std::uint8_t>(at / 3 * 4 + at % 3) : kNone;
      for (int part = 0; part < 2; ++part) {
        const int from = lane * 3 + byte - 8 * part;
        low[part][i] = lane / 4 == part ? static_cast<std::uint8_t>(from) : kNone;
        high[part][i] = lane / 4 == part ? static_cast<std::uint8_t>(from + 1) : kNone;
        const int to = 8 * part + at;
        const int word = to / 3;
        join_low[part][i] = to % 3 < 2 ? static_cast<std::uint8_t>(2 * word + to % 3) : kNone;
        join_high[part][i] = to % 3 == 2 ? static_cast<std::uint8_t>(2 * word) : kNone;
      }
    }
  }
  alignas(32) std::uint8_t split_data[32] = {};
  alignas(32) std::uint8_t join_data[32] = {};
  alignas(32) std::uint8_t low[2][32] = {};
  alignas(32) std::uint8_t high[2][32] = {};
  alignas(32) std::uint8_t join_low[2][32] = {};
  alignas(32) std::uint8_t join_high[2][32] = {};
};
constexpr Orders kOrders;

/// Bytes of two registers in one.
__m256i shuffle(__m256i a, __m256i order_a, __m256i b, __m256i order_b) {
  return _mm256_or_si256(_mm256_shuffle_epi8(a, order_a), _mm256_shuffle_epi8(b, order_b));
}

/// Check bits of lanes of twelve bits, by nibbles: their lower eight and their upper four bits.
class Checks {
 public:
  explicit Checks(const CodeTables& tables) {
    for (int i = 0; i < 3; ++i) {
      low_[i] = _mm256_broadcastsi128_si256(load128(tables.golay12_nibble_checks[i][0]));
      high_[i] = _mm256_broadcastsi128_si256(load128(tables.golay12_nibble_checks[i][1]));
    }
  }

  __m256i operator()(__m256i data) const {
    // The upper bytes of the lanes are zero, and so are the check bits of zero.
    const __m256i nibble = _mm256_set1_epi16(15);
    const __m256i first = _mm256_and_si256(data, nibble);
    const __m256i second = _mm256_and_si256(_mm256_srli_epi16(data, 4), nibble);
    const __m256i third = _mm256_srli_epi16(data, 8);
    return _mm256_or_si256(sum(low_, first, second, third),
                           _mm256_slli_epi16(sum(high_, first, second, third), 8));
  }

 private:
  static __m256i sum(const __m256i (&tables)[3], __m256i first, __m256i second, __m256i third) {
    const __m256i two = _mm256_xor_si256(_mm256_shuffle_epi8(tables[0], first),
                                         _mm256_shuffle_epi8(tables[1], second));
    return _mm256_xor_si256(two, _mm256_shuffle_epi8(tables[2], third));
  }

  __m256i low_[3], high_[3];
};

/// Patterns of sixteen syndromes.
__m256i patterns(const CodeTables& tables, __m256i syndromes) {
  const void* const table = tables.golay12_patterns;
  const __m256i low16 = _mm256_set1_epi32(0xFFFF);
  const __m256i even =
      _mm256_i32gather_epi32(static_cast<const int*>(table), _mm256_and_si256(syndromes, low16), 2);
  const __m256i odd =
      _mm256_i32gather_epi32(static_cast<const int*>(table), _mm256_srli_epi32(syndromes, 16), 2);
  return _mm256_blend_epi16(even, _mm256_slli_epi32(odd, 16), 0xAA);
}

/// Bits 12 and 13 of every lane, one lane's after the other's.
std::uint32_t statuses_of(__m256i found) {
  const __m256i low = _mm256_and_si256(_mm256_srli_epi16(found, 5), _mm256_set1_epi16(1 << 7));
  const __m256i high = _mm256_andnot_si256(_mm256_set1_epi16(0xFF), _mm256_slli_epi16(found, 2));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_or_si256(low, high)));
}

void encode(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
            std::uint8_t* codewords) {
  const Checks checks(tables);
  const __m256i split = load(kOrders.split_data);
  const __m256i twelve = _mm256_set1_epi16(0xFFF);
  for (; blocks != 0; --blocks, data += kDataBytes, codewords += kCodeBytes) {
    const __m256i lanes = _mm256_shuffle_epi8(load_halves(data, data + 8), split);
    const __m256i words =
        _mm256_and_si256(_mm256_blend_epi16(lanes, _mm256_srli_epi16(lanes, 4), 0xAA), twelve);
    const __m256i check = checks(words);
    const __m256i low = _mm256_or_si256(words, _mm256_slli_epi16(check, 12));
    const __m256i high = _mm256_srli_epi16(check, 4);
    for (int part = 0; part < 2; ++part) {
      std::uint8_t* const to = codewords + 8 * part;
      store_halves(to, to + kCodeBytes / 2,
                   shuffle(low, load(kOrders.join_low[part]), high, load(kOrders.join_high[part])));
    }
  }
}

void decode(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
            std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  const Checks checks(tables);
  const __m256i low0 = load(kOrders.low[0]);
  const __m256i low1 = load(kOrders.low[1]);
  const __m256i high0 = load(kOrders.high[0]);
  const __m256i high1 = load(kOrders.high[1]);
  const __m256i join = load(kOrders.join_data);
  const __m256i dense = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7);
  const __m256i twelve = _mm256_set1_epi16(0xFFF);
  StatusCounts counts;
  for (; blocks != 0; --blocks, codewords += kCodeBytes, data += kDataBytes) {
    const __m256i first = load_halves(codewords, codewords + kCodeBytes / 2);
    const __m256i second = load_halves(codewords + 8, codewords + kCodeBytes / 2 + 8);
    __m256i words = _mm256_and_si256(shuffle(first, low0, second, low1), twelve);
    const __m256i check = _mm256_srli_epi16(shuffle(first, high0, second, high1), 4);
    const __m256i syndromes = _mm256_xor_si256(checks(words), check);
    std::uint32_t marks = 0;
    if (_mm256_testz_si256(syndromes, syndromes) == 0) {
      const __m256i found = patterns(tables, syndromes);
      words = _mm256_xor_si256(words, _mm256_and_si256(found, twelve));
      marks = statuses_of(found);
      counts.add(marks & 0x55555555, marks >> 1 & 0x55555555);
    }
    const __m256i pairs = _mm256_madd_epi16(words, _mm256_set1_epi32(1 | 1 << 28));
    const __m256i joined = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(pairs, join), dense);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(data), _mm256_castsi256_si128(joined));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(data + 16), _mm256_extracti128_si256(joined, 1));
    if (statuses == nullptr) continue;
    __builtin_memcpy(statuses, &marks, sizeof marks);
    statuses += kBlockWords / 4;
  }
  counts.add_to(errors);
}

}  // namespace

const BlockCoder kGolay12 = {kBlockWords, encode, decode};

}  // namespace axelram::avx2
