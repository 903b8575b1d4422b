#include <immintrin.h>

#include "code_kernels.hpp"

/// Codes of four data bits, a codeword in each byte of a register.

namespace axelram::avx512 {
namespace {

constexpr std::size_t kBlockWords = 64;

/// Bytes of eight 7-bit codewords in the low part of each quadword, and back. A block's 56 bytes
/// are loaded as bytes 0..31 and 24..55: masked loads of memory not in cache are less than half as
/// fast.
struct SevenBytes {
  constexpr SevenBytes() {
    for (int i = 0; i < 64; ++i) {
      const int byte = i / 8 * 7 + i % 8;
      spread[i] = static_cast<std::uint8_t>(byte < 32 ? byte : byte + 8);
      join[i] = static_cast<std::uint8_t>(i / 7 * 8 + i % 7);
      shift[i] = static_cast<std::uint8_t>(i % 8 * 7);
    }
  }
  alignas(64) std::uint8_t spread[64] = {};
  alignas(64) std::uint8_t join[64] = {};
  alignas(64) std::uint8_t shift[64] = {};
};
constexpr SevenBytes kSevenBytes;
constexpr __mmask64 kSevenByteBlock = (__mmask64{1} << 56) - 1;

__m256i load256(const std::uint8_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

template <int n>
__m512i load_codewords(const std::uint8_t* codewords) {
  if constexpr (n == 8) return _mm512_loadu_si512(codewords);
  const __m512i bytes =
      _mm512_inserti64x4(_mm512_castsi256_si512(load256(codewords)), load256(codewords + 24), 1);
  const __m512i groups = _mm512_permutexvar_epi8(_mm512_load_si512(kSevenBytes.spread), bytes);
  return _mm512_and_si512(
      _mm512_multishift_epi64_epi8(_mm512_load_si512(kSevenBytes.shift), groups),
      _mm512_set1_epi8(0x7F));
}

template <int n>
void store_codewords(std::uint8_t* codewords, __m512i words) {
  if constexpr (n == 8) {
    _mm512_storeu_si512(codewords, words);
    return;
  }
  // Neighbours are joined three times: 14 bits, 28 bits, 56 bits.
  const __m512i pairs = _mm512_maddubs_epi16(_mm512_set1_epi16(static_cast<short>(0x8001)), words);
  const __m512i quads = _mm512_madd_epi16(pairs, _mm512_set1_epi32(1 | 1 << 30));
  const __m512i low = _mm512_set1_epi64((1 << 28) - 1);
  const __m512i groups = _mm512_or_si512(_mm512_and_si512(quads, low),
                                         _mm512_andnot_si512(low, _mm512_srli_epi64(quads, 4)));
  _mm512_mask_storeu_epi8(codewords, kSevenByteBlock,
                          _mm512_permutexvar_epi8(_mm512_load_si512(kSevenBytes.join), groups));
}

__m512i load_table(const std::uint8_t* table) {
  return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table)));
}

template <int n>
void encode_nibbles(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
                    std::uint8_t* codewords) {
  const __m512i table = load_table(tables.nibble_codewords);
  const __m512i nibble = _mm512_set1_epi8(15);
  for (; blocks != 0; --blocks, data += kBlockWords / 2, codewords += kBlockWords / 8 * n) {
    const __m512i bytes = _mm512_cvtepu8_epi16(load256(data));
    const __m512i nibbles =
        _mm512_and_si512(_mm512_or_si512(bytes, _mm512_slli_epi16(bytes, 4)), nibble);
    store_codewords<n>(codewords, _mm512_shuffle_epi8(table, nibbles));
  }
}

template <int n>
void decode_nibbles(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
                    std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  const __m512i table = load_table(tables.nibble_codewords);
  const __m512i patterns = load_table(tables.nibble_patterns);
  const __m512i nibble = _mm512_set1_epi8(15);
  std::uint64_t low_bits = 0;
  std::uint64_t high_bits = 0;
  std::uint64_t both_bits = 0;
  for (; blocks != 0; --blocks, codewords += kBlockWords / 8 * n, data += kBlockWords / 2) {
    const __m512i words = load_codewords<n>(codewords);
    // The received word and the codeword of its data differ in the syndrome alone.
    const __m512i coded = _mm512_shuffle_epi8(table, _mm512_and_si512(words, nibble));
    const __m512i syndromes = _mm512_srli_epi16(_mm512_xor_si512(words, coded), 4);
    const __m512i found = _mm512_shuffle_epi8(patterns, syndromes);
    const __m512i decoded = _mm512_and_si512(_mm512_xor_si512(words, found), nibble);
    const __m512i pairs = _mm512_maddubs_epi16(decoded, _mm512_set1_epi16(0x1001));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(data), _mm512_cvtepi16_epi8(pairs));
    const __mmask64 low = _mm512_test_epi8_mask(found, _mm512_set1_epi8(0x10));
    const __mmask64 high = _mm512_test_epi8_mask(found, _mm512_set1_epi8(0x20));
    low_bits += static_cast<std::uint64_t>(_mm_popcnt_u64(low));
    high_bits += static_cast<std::uint64_t>(_mm_popcnt_u64(high));
    both_bits += static_cast<std::uint64_t>(_mm_popcnt_u64(low & high));
    if (statuses == nullptr) continue;
    // Statuses lie at bits 4 and 5: joined by pairs and by fours, shifted down at the end.
    const __m512i marks = _mm512_andnot_si512(nibble, found);
    const __m512i twos = _mm512_maddubs_epi16(marks, _mm512_set1_epi16(0x0401));
    const __m512i fours = _mm512_madd_epi16(twos, _mm512_set1_epi32(0x00100001));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(statuses),
                     _mm512_cvtepi32_epi8(_mm512_srli_epi32(fours, 4)));
    statuses += kBlockWords / 4;
  }
  errors->corrected += low_bits - both_bits;
  errors->parity_only += high_bits - both_bits;
  errors->detected += both_bits;
}

void encode(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
            std::uint8_t* codewords) {
  const auto shape = tables.n == 8 ? encode_nibbles<8> : encode_nibbles<7>;
  shape(tables, data, blocks, codewords);
}

void decode(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
            std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  const auto shape = tables.n == 8 ? decode_nibbles<8> : decode_nibbles<7>;
  shape(tables, codewords, blocks, data, statuses, errors);
}

}  // namespace

const CodeKernels kNibbles = {kBlockWords, encode, decode};

}  // namespace axelram::avx512
