#include <immintrin.h>

#include "codes/codewords/block_coder.hpp"
#include "codes/codewords/simd_status_counts.hpp"

/// Codes of twelve data and twelve check bits, a word in each 16-bit lane. Apart from the AVX2
/// source: permutations of whole registers place the bytes.

namespace axelram::avx512 {
namespace {

constexpr std::size_t kBlockWords = 32;
constexpr std::size_t kDataBytes = kBlockWords * 12 / 8;
constexpr std::size_t kCodeBytes = kBlockWords * 24 / 8;
constexpr __mmask64 kDataMask = (__mmask64{1} << kDataBytes) - 1;

/// Byte orders of the permutations. Codewords lie in two registers, the second from byte 64 on.
struct Orders {
  constexpr Orders() {
    for (int i = 0; i < 64; ++i) {
      const int lane = i / 2;
      const int byte = i % 2;
      split_data[i] = static_cast<std::uint8_t>(lane / 2 * 3 + lane % 2 + byte);
      join_data[i] = static_cast<std::uint8_t>(i / 3 * 4 + i % 3);
      low[i] = static_cast<std::uint8_t>(lane * 3 + byte);
      high[i] = static_cast<std::uint8_t>(lane * 3 + byte + 1);
      for (int half = 0; half < 2; ++half) {
        const int at = 64 * half + i;
        // Bytes 0 and 1 of a codeword come from the first register, byte 2 from the second.
        join_code[half][i] =
            static_cast<std::uint8_t>(at % 3 < 2 ? at / 3 * 2 + at % 3 : 64 + at / 3 * 2);
      }
    }
  }
  alignas(64) std::uint8_t split_data[64] = {};
  alignas(64) std::uint8_t join_data[64] = {};
  alignas(64) std::uint8_t low[64] = {};
  alignas(64) std::uint8_t high[64] = {};
  alignas(64) std::uint8_t join_code[2][64] = {};
};
constexpr Orders kOrders;

__m512i load(const void* from) { return _mm512_load_si512(from); }

/// Check bits of the lanes' low twelve bits: two tables of 64 entries, which look at six bits each.
class Checks {
 public:
  explicit Checks(const CodeTables& tables)
      : low0_(load(tables.golay12_half_checks[0])),
        low1_(load(tables.golay12_half_checks[0] + 32)),
        high0_(load(tables.golay12_half_checks[1])),
        high1_(load(tables.golay12_half_checks[1] + 32)) {}

  __m512i operator()(__m512i data) const {
    return _mm512_xor_si512(_mm512_permutex2var_epi16(low0_, data, low1_),
                            _mm512_permutex2var_epi16(high0_, _mm512_srli_epi16(data, 6), high1_));
  }

 private:
  __m512i low0_, low1_, high0_, high1_;
};

/// Patterns of 32 syndromes; zero where the syndrome is.
__m512i patterns(const CodeTables& tables, __m512i syndromes, __mmask32 dirty) {
  const __m512i low16 = _mm512_set1_epi32(0xFFFF);
  const __m512i even = _mm512_and_si512(syndromes, low16);
  const __m512i odd = _mm512_srli_epi32(syndromes, 16);
  const auto even_dirty = static_cast<__mmask16>(_pext_u32(dirty, 0x55555555));
  const auto odd_dirty = static_cast<__mmask16>(_pext_u32(dirty, 0xAAAAAAAA));
  const __m512i zero = _mm512_setzero_si512();
  const __m512i even_found =
      _mm512_mask_i32gather_epi32(zero, even_dirty, even, tables.golay12_patterns, 2);
  const __m512i odd_found =
      _mm512_mask_i32gather_epi32(zero, odd_dirty, odd, tables.golay12_patterns, 2);
  return _mm512_or_si512(_mm512_and_si512(even_found, low16), _mm512_slli_epi32(odd_found, 16));
}

/// 48 bytes; a masked load of memory not in cache is less than half as fast.
__m512i load_data(const std::uint8_t* data) {
  const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data));
  const __m128i rest = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + 32));
  return _mm512_inserti32x4(_mm512_castsi256_si512(first), rest, 2);
}

void encode(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
            std::uint8_t* codewords) {
  const Checks checks(tables);
  const __m512i split = load(kOrders.split_data);
  const __m512i join0 = load(kOrders.join_code[0]);
  const __m512i join1 = load(kOrders.join_code[1]);
  const __m512i shift = _mm512_set1_epi32(4 << 16);
  for (; blocks != 0; --blocks, data += kDataBytes, codewords += kCodeBytes) {
    const __m512i bytes = load_data(data);
    const __m512i lanes = _mm512_srlv_epi16(_mm512_permutexvar_epi8(split, bytes), shift);
    const __m512i words = _mm512_and_si512(lanes, _mm512_set1_epi16(0xFFF));
    const __m512i check = checks(words);
    const __m512i low = _mm512_or_si512(words, _mm512_slli_epi16(check, 12));
    const __m512i high = _mm512_srli_epi16(check, 4);
    _mm512_storeu_si512(codewords, _mm512_permutex2var_epi8(low, join0, high));
    const __m512i rest = _mm512_permutex2var_epi8(low, join1, high);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(codewords + 64), _mm512_castsi512_si256(rest));
  }
}

void decode(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
            std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  const Checks checks(tables);
  const __m512i low = load(kOrders.low);
  const __m512i high = load(kOrders.high);
  const __m512i join = load(kOrders.join_data);
  const __m512i twelve = _mm512_set1_epi16(0xFFF);
  StatusCounts counts;
  for (; blocks != 0; --blocks, codewords += kCodeBytes, data += kDataBytes) {
    const __m512i first = _mm512_loadu_si512(codewords);
    const __m512i second = _mm512_castsi256_si512(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codewords + 64)));
    __m512i words = _mm512_and_si512(_mm512_permutex2var_epi8(first, low, second), twelve);
    const __m512i check = _mm512_srli_epi16(_mm512_permutex2var_epi8(first, high, second), 4);
    const __m512i syndromes = _mm512_xor_si512(checks(words), check);
    const __mmask32 dirty = _mm512_test_epi16_mask(syndromes, syndromes);
    __mmask32 status0 = 0;
    __mmask32 status1 = 0;
    if (dirty != 0) {
      const __m512i found = patterns(tables, syndromes, dirty);
      words = _mm512_xor_si512(words, _mm512_and_si512(found, twelve));
      status0 = _mm512_test_epi16_mask(found, _mm512_set1_epi16(1 << 12));
      status1 = _mm512_test_epi16_mask(found, _mm512_set1_epi16(1 << 13));
      counts.add(status0, status1);
    }
    const __m512i pairs = _mm512_madd_epi16(words, _mm512_set1_epi32(1 | 1 << 28));
    _mm512_mask_storeu_epi8(data, kDataMask, _mm512_permutexvar_epi8(join, pairs));
    if (statuses == nullptr) continue;
    const std::uint64_t interleaved =
        _pdep_u64(status0, 0x5555555555555555) | _pdep_u64(status1, 0xAAAAAAAAAAAAAAAA);
    __builtin_memcpy(statuses, &interleaved, sizeof interleaved);
    statuses += kBlockWords / 4;
  }
  counts.add_to(errors);
}

}  // namespace

const BlockCoder kGolay12 = {kBlockWords, encode, decode};

}  // namespace axelram::avx512
