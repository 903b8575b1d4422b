#include <immintrin.h>

#include "codes/codewords/block_coder.hpp"
#include "codes/codewords/simd_status_counts.hpp"

/// Codes of 64 data and eight check bits: eight data words to a register, a byte of check bits
/// each. Apart from the AVX2 source: permutations of two registers place the bytes.

namespace axelram::avx512 {
namespace {

constexpr std::size_t kBlockWords = 16;
constexpr std::size_t kHalfBytes = 72;  // codewords of eight words

/// Byte orders of the permutations; positions from 64 on lie in the second register.
struct Orders {
  constexpr Orders() {
    for (int i = 0; i < 64; ++i) {
      for (int half = 0; half < 2; ++half) {
        // Lane l of half h: byte 4 h + l of the sixteen data words.
        const int byte = 4 * half + i / 16;
        columns[half][i] = static_cast<std::uint8_t>(i % 16 * 8 + byte);
        // Codewords of words 8 h..: their data, then in the second register their check bits.
        join[half][i] =
            static_cast<std::uint8_t>(i % 9 < 8 ? i / 9 * 8 + i % 9 : 64 + 8 * half + i / 9);
      }
      split_data[i] = static_cast<std::uint8_t>(i / 8 * 9 + i % 8);
    }
    for (int i = 0; i < 16; ++i) split_check[i] = static_cast<std::uint8_t>(i % 8 * 9 + 8);
  }
  alignas(64) std::uint8_t columns[2][64] = {};
  alignas(64) std::uint8_t join[2][64] = {};
  alignas(64) std::uint8_t split_data[64] = {};
  alignas(64) std::uint8_t split_check[64] = {};
};
constexpr Orders kOrders;

__m512i load(const void* from) { return _mm512_load_si512(from); }

/// Check bits of sixteen words in two registers.
class Checks {
 public:
  explicit Checks(const CodeTables& tables) {
    for (int half = 0; half < 2; ++half) {
      low_[half] = load(tables.low_checks + 64 * half);
      high_[half] = load(tables.high_checks + 64 * half);
      columns_[half] = load(kOrders.columns[half]);
    }
  }

  __m128i operator()(__m512i words0, __m512i words1) const {
    const __m512i sum = _mm512_xor_si512(columns<0>(words0, words1), columns<1>(words0, words1));
    const __m256i half =
        _mm256_xor_si256(_mm512_castsi512_si256(sum), _mm512_extracti64x4_epi64(sum, 1));
    return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  }

 private:
  /// Check bits of four bytes of every word, a byte to a lane.
  template <int half>
  __m512i columns(__m512i words0, __m512i words1) const {
    const __m512i nibble = _mm512_set1_epi8(15);
    const __m512i bytes = _mm512_permutex2var_epi8(words0, columns_[half], words1);
    const __m512i upper = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), nibble);
    return _mm512_xor_si512(_mm512_shuffle_epi8(low_[half], _mm512_and_si512(bytes, nibble)),
                            _mm512_shuffle_epi8(high_[half], upper));
  }

  __m512i low_[2], high_[2], columns_[2];
};

/// Eight codewords: 64 bytes, and the eight bytes behind them.
template <int half>
void store_codewords(std::uint8_t* codewords, __m512i words, __m128i check) {
  const __m512i bytes =
      _mm512_permutex2var_epi8(words, load(kOrders.join[half]), _mm512_castsi128_si512(check));
  _mm512_storeu_si512(codewords, bytes);
  // The last codeword began at byte 63.
  const auto last =
      static_cast<std::uint64_t>(_mm_extract_epi64(_mm512_extracti32x4_epi32(words, 3), 1));
  const auto checks = static_cast<std::uint64_t>(_mm_extract_epi64(check, half));
  const std::uint64_t rest = last >> 8 | (checks >> 56) << 56;
  __builtin_memcpy(codewords + 64, &rest, sizeof rest);
}

struct Half {
  __m512i words;
  __m128i check;  ///< in the low eight bytes
};
Half load_codewords(const std::uint8_t* codewords) {
  const __m512i first = _mm512_loadu_si512(codewords);
  const __m512i second =
      _mm512_castsi128_si512(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codewords + 64)));
  return {
      _mm512_permutex2var_epi8(first, load(kOrders.split_data), second),
      _mm512_castsi512_si128(_mm512_permutex2var_epi8(first, load(kOrders.split_check), second))};
}

__m512i errors_of(const CodeTables& tables, __m128i syndromes, __mmask8 dirty) {
  return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), dirty, _mm512_cvtepu8_epi64(syndromes),
                                     tables.errors, 8);
}

/// Entries of a table of 256 bytes.
__m128i look_up(const std::uint8_t* table, __m128i index) {
  const __m512i wide = _mm512_castsi128_si512(index);
  const __m512i lower =
      _mm512_permutex2var_epi8(_mm512_loadu_si512(table), wide, _mm512_loadu_si512(table + 64));
  const __m512i upper = _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), wide,
                                                 _mm512_loadu_si512(table + 192));
  return _mm_mask_blend_epi8(_mm_movepi8_mask(index), _mm512_castsi512_si128(lower),
                             _mm512_castsi512_si128(upper));
}

void encode(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
            std::uint8_t* codewords) {
  const Checks checks(tables);
  for (; blocks != 0; --blocks, data += 128, codewords += 2 * kHalfBytes) {
    const __m512i words0 = _mm512_loadu_si512(data);
    const __m512i words1 = _mm512_loadu_si512(data + 64);
    const __m128i check = checks(words0, words1);
    store_codewords<0>(codewords, words0, check);
    store_codewords<1>(codewords + kHalfBytes, words1, check);
  }
}

void decode(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
            std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  const Checks checks(tables);
  const __m128i one = _mm_set1_epi8(1);
  const __m128i two = _mm_set1_epi8(2);
  StatusCounts counts;
  for (; blocks != 0; --blocks, codewords += 2 * kHalfBytes, data += 128) {
    Half half0 = load_codewords(codewords);
    Half half1 = load_codewords(codewords + kHalfBytes);
    const __m128i received = _mm_unpacklo_epi64(half0.check, half1.check);
    const __m128i syndromes = _mm_xor_si128(checks(half0.words, half1.words), received);
    const __mmask16 dirty = _mm_test_epi8_mask(syndromes, syndromes);
    std::uint32_t marks = 0;
    if (dirty != 0) {
      const __m512i errors0 = errors_of(tables, syndromes, static_cast<__mmask8>(dirty));
      const __m512i errors1 = errors_of(tables, _mm_unpackhi_epi64(syndromes, syndromes),
                                        static_cast<__mmask8>(dirty >> 8));
      half0.words = _mm512_xor_si512(half0.words, errors0);
      half1.words = _mm512_xor_si512(half1.words, errors1);
      const __m128i found = look_up(tables.statuses, syndromes);
      const std::uint32_t low = _mm_test_epi8_mask(found, one);
      const std::uint32_t high = _mm_test_epi8_mask(found, two);
      counts.add(low, high);
      marks = _pdep_u32(low, 0x55555555) | _pdep_u32(high, 0xAAAAAAAA);
    }
    _mm512_storeu_si512(data, half0.words);
    _mm512_storeu_si512(data + 64, half1.words);
    if (statuses == nullptr) continue;
    __builtin_memcpy(statuses, &marks, sizeof marks);
    statuses += kBlockWords / 4;
  }
  counts.add_to(errors);
}

}  // namespace

const BlockCoder kSecded64 = {kBlockWords, encode, decode};

}  // namespace axelram::avx512
