#include <immintrin.h>

#include "code_kernels.hpp"

/// Codes of four data bits, a codeword in each byte of a register.

namespace axelram::avx2 {
namespace {

constexpr std::size_t kBlockWords = 32;
constexpr std::uint64_t kSevenBits = 0x7F7F7F7F7F7F7F7F;

__m256i load256(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }

/// Two loads in registers: seven bytes copied to memory first would stall the load of eight.
std::uint64_t load_seven(const std::uint8_t* bytes) {
  std::uint32_t low;
  std::uint32_t high;
  __builtin_memcpy(&low, bytes, 4);
  __builtin_memcpy(&high, bytes + 3, 4);
  return low | std::uint64_t{high} << 24;
}

template <int n>
__m256i load_codewords(const std::uint8_t* codewords) {
  if constexpr (n == 8) return load256(codewords);
  const auto group = [&](int i) {
    return static_cast<long long>(_pdep_u64(load_seven(codewords + 7 * i), kSevenBits));
  };
  return _mm256_setr_epi64x(group(0), group(1), group(2), group(3));
}

template <int n>
void store_codewords(std::uint8_t* codewords, __m256i words) {
  if constexpr (n == 8) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(codewords), words);
    return;
  }
  std::uint64_t groups[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(groups), words);
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t group = _pext_u64(groups[i], kSevenBits);
    __builtin_memcpy(codewords + 7 * i, &group, 7);
  }
}

__m256i load_table(const std::uint8_t* table) {
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(table)));
}

/// The low bytes of the sixteen words.
__m128i narrow(__m256i words) {
  const __m256i bytes = _mm256_packus_epi16(words, words);
  return _mm256_castsi256_si128(_mm256_permute4x64_epi64(bytes, 0x08));
}

std::uint64_t count_ones(int mask) {
  return static_cast<std::uint64_t>(_mm_popcnt_u32(static_cast<unsigned>(mask)));
}

template <int n>
void encode_nibbles(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
                    std::uint8_t* codewords) {
  const __m256i table = load_table(tables.nibble_codewords);
  const __m256i nibble = _mm256_set1_epi8(15);
  for (; blocks != 0; --blocks, data += kBlockWords / 2, codewords += kBlockWords / 8 * n) {
    const __m256i bytes =
        _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(data)));
    const __m256i nibbles =
        _mm256_and_si256(_mm256_or_si256(bytes, _mm256_slli_epi16(bytes, 4)), nibble);
    store_codewords<n>(codewords, _mm256_shuffle_epi8(table, nibbles));
  }
}

template <int n>
void decode_nibbles(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
                    std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  const __m256i table = load_table(tables.nibble_codewords);
  const __m256i patterns = load_table(tables.nibble_patterns);
  const __m256i nibble = _mm256_set1_epi8(15);
  // The status bytes lie in the low bytes of the doublewords.
  const __m256i low_bytes =
      _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1,
                       -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  std::uint64_t low_bits = 0;
  std::uint64_t high_bits = 0;
  std::uint64_t both_bits = 0;
  for (; blocks != 0; --blocks, codewords += kBlockWords / 8 * n, data += kBlockWords / 2) {
    const __m256i words = load_codewords<n>(codewords);
    // The received word and the codeword of its data differ in the syndrome alone.
    const __m256i coded = _mm256_shuffle_epi8(table, _mm256_and_si256(words, nibble));
    const __m256i syndromes = _mm256_srli_epi16(_mm256_xor_si256(words, coded), 4);
    const __m256i found = _mm256_shuffle_epi8(patterns, syndromes);
    const __m256i decoded = _mm256_and_si256(_mm256_xor_si256(words, found), nibble);
    const __m256i pairs = _mm256_maddubs_epi16(decoded, _mm256_set1_epi16(0x1001));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(data), narrow(pairs));
    const int low = _mm256_movemask_epi8(_mm256_slli_epi16(found, 3));
    const int high = _mm256_movemask_epi8(_mm256_slli_epi16(found, 2));
    low_bits += count_ones(low);
    high_bits += count_ones(high);
    both_bits += count_ones(low & high);
    if (statuses == nullptr) continue;
    // Statuses lie at bits 4 and 5: joined by pairs and by fours, shifted down at the end.
    const __m256i marks = _mm256_andnot_si256(nibble, found);
    const __m256i twos = _mm256_maddubs_epi16(marks, _mm256_set1_epi16(0x0401));
    const __m256i fours = _mm256_madd_epi16(twos, _mm256_set1_epi32(0x00100001));
    const __m256i bytes = _mm256_shuffle_epi8(_mm256_srli_epi32(fours, 4), low_bytes);
    const __m128i joined =
        _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(statuses), joined);
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

}  // namespace axelram::avx2
