#include "codes/codewords/block_coder.hpp"
#include "codes/codewords/simd_status_counts.hpp"
#include "simd/vector.hpp"

/// Codes of four data bits, a codeword in each byte of a register.

namespace axelram::AXELRAM_LEVEL {
namespace {

constexpr std::size_t kBlockWords = sizeof(Integers);

// Seven-bit codewords are spread to bytes and joined again: by BMI2 on 64-bit words, or by
// permutations and multishifts of a whole register.
#ifdef __AVX512F__
/// A block's 56 bytes are loaded as bytes 0..31 and 24..55: masked loads of memory outside the
/// cache are less than half as fast.
struct SevenBytes {
  constexpr SevenBytes() {
    for (int i = 0; i < 64; ++i) {
      const int byte = i / 8 * 7 + i % 8;
      spread[i] = static_cast<std::uint8_t>(byte < 32 ? byte : byte + 8);
      join[i] = static_cast<std::uint8_t>(i / 7 * 8 + i % 7);
      shift[i] = static_cast<std::uint8_t>(i % 8 * 7);
    }
  }
  alignas(64) std::uint8_t spread[64] = {};  ///< seven bytes to the low part of each quadword
  alignas(64) std::uint8_t join[64] = {};    ///< and back
  alignas(64) std::uint8_t shift[64] = {};
};
constexpr SevenBytes kSevenBytes;
constexpr __mmask64 kSevenByteBlock = (__mmask64{1} << 56) - 1;

__m512i load_seven_bits(const std::uint8_t* codewords) {
  const __m512i bytes = _mm512_inserti64x4(_mm512_castsi256_si512(load_half(codewords)),
                                           load_half(codewords + 24), 1);
  const __m512i groups = _mm512_permutexvar_epi8(_mm512_load_si512(kSevenBytes.spread), bytes);
  return _mm512_and_si512(
      _mm512_multishift_epi64_epi8(_mm512_load_si512(kSevenBytes.shift), groups),
      _mm512_set1_epi8(0x7F));
}

void store_seven_bits(std::uint8_t* codewords, __m512i words) {
  // Neighbours are joined three times: 14 bits, 28 bits, 56 bits.
  const __m512i pairs = _mm512_maddubs_epi16(_mm512_set1_epi16(static_cast<short>(0x8001)), words);
  const __m512i quads = _mm512_madd_epi16(pairs, _mm512_set1_epi32(1 | 1 << 30));
  const __m512i low = _mm512_set1_epi64((1 << 28) - 1);
  const __m512i groups = _mm512_or_si512(_mm512_and_si512(quads, low),
                                         _mm512_andnot_si512(low, _mm512_srli_epi64(quads, 4)));
  _mm512_mask_storeu_epi8(codewords, kSevenByteBlock,
                          _mm512_permutexvar_epi8(_mm512_load_si512(kSevenBytes.join), groups));
}

/// The low bytes of the 16-bit lanes.
__m256i narrow16(__m512i v) { return _mm512_cvtepi16_epi8(v); }

/// Bit `bit` of every byte.
template <int bit>
std::uint64_t bits_of(__m512i v) {
  return _mm512_test_epi8_mask(v, _mm512_set1_epi8(1 << bit));
}

/// Stores the low bytes of the 32-bit lanes.
void store_low_bytes(std::uint8_t* to, __m512i v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(v));
}
#else
constexpr std::uint64_t kSevenBits = 0x7F7F7F7F7F7F7F7F;

/// Two loads in registers: seven bytes copied to memory first would stall the load of eight.
std::uint64_t load_seven_bytes(const std::uint8_t* bytes) {
  std::uint32_t low;
  std::uint32_t high;
  __builtin_memcpy(&low, bytes, 4);
  __builtin_memcpy(&high, bytes + 3, 4);
  return low | std::uint64_t{high} << 24;
}

__m256i load_seven_bits(const std::uint8_t* codewords) {
  const auto group = [&](int i) {
    return static_cast<long long>(_pdep_u64(load_seven_bytes(codewords + 7 * i), kSevenBits));
  };
  return _mm256_setr_epi64x(group(0), group(1), group(2), group(3));
}

void store_seven_bits(std::uint8_t* codewords, __m256i words) {
  std::uint64_t groups[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(groups), words);
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t group = _pext_u64(groups[i], kSevenBits);
    __builtin_memcpy(codewords + 7 * i, &group, 7);
  }
}

/// The low bytes of the 16-bit lanes.
__m128i narrow16(__m256i v) {
  const __m256i bytes = _mm256_packus_epi16(v, v);
  return _mm256_castsi256_si128(_mm256_permute4x64_epi64(bytes, 0x08));
}

/// Bit `bit` of every byte.
template <int bit>
std::uint64_t bits_of(__m256i v) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_slli_epi16(v, 7 - bit)));
}

/// Stores the low bytes of the 32-bit lanes.
void store_low_bytes(std::uint8_t* to, __m256i v) {
  const __m256i order =
      _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1,
                       -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i bytes = _mm256_shuffle_epi8(v, order);
  const __m128i joined =
      _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(to), joined);
}
#endif

template <int n>
Integers load_codewords(const std::uint8_t* codewords) {
  if constexpr (n == 8) return load(codewords);
  return load_seven_bits(codewords);
}

template <int n>
void store_codewords(std::uint8_t* codewords, Integers words) {
  if constexpr (n == 8) return store(codewords, words);
  store_seven_bits(codewords, words);
}

template <int n>
void encode_k4(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
               std::uint8_t* codewords) {
  const Integers table = broadcast_lane(tables.k4_codewords);
  const Integers nibble = broadcast8(15);
  for (; blocks != 0; --blocks, data += kBlockWords / 2, codewords += kBlockWords / 8 * n) {
    const Integers bytes = widen8(load_half(data));
    const Integers nibbles = (bytes | shift_left16<4>(bytes)) & nibble;
    store_codewords<n>(codewords, shuffle8(table, nibbles));
  }
}

template <int n>
void decode_k4(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
               std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  const Integers table = broadcast_lane(tables.k4_codewords);
  const Integers patterns = broadcast_lane(tables.k4_patterns);
  const Integers nibble = broadcast8(15);
  StatusCounts counts;
  for (; blocks != 0; --blocks, codewords += kBlockWords / 8 * n, data += kBlockWords / 2) {
    const Integers words = load_codewords<n>(codewords);
    // The received word and the codeword of its data differ in the syndrome alone.
    const Integers coded = shuffle8(table, words & nibble);
    const Integers syndromes = shift_right16<4>(words ^ coded);
    const Integers found = shuffle8(patterns, syndromes);
    const Integers decoded = (words ^ found) & nibble;
    store_half(data, narrow16(pair_sums16(decoded, broadcast16(0x1001))));
    counts.add(bits_of<4>(found), bits_of<5>(found));
    if (statuses == nullptr) continue;
    // Statuses lie at bits 4 and 5: joined by pairs and by fours, shifted down at the end.
    const Integers marks = and_not(nibble, found);
    const Integers twos = pair_sums16(marks, broadcast16(0x0401));
    const Integers fours = pair_sums32(twos, broadcast32(0x00100001));
    store_low_bytes(statuses, shift_right32<4>(fours));
    statuses += kBlockWords / 4;
  }
  counts.add_to(errors);
}

void encode(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
            std::uint8_t* codewords) {
  const auto shape = tables.n == 8 ? encode_k4<8> : encode_k4<7>;
  shape(tables, data, blocks, codewords);
}

void decode(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
            std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  const auto shape = tables.n == 8 ? decode_k4<8> : decode_k4<7>;
  shape(tables, codewords, blocks, data, statuses, errors);
}

}  // namespace

const BlockCoder kK4 = {kBlockWords, encode, decode};

}  // namespace axelram::AXELRAM_LEVEL
