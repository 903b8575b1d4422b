#include "codes/codewords/block_coder.hpp"
#include "codes/codewords/portable_bytes.hpp"

/// Codes of four data bits: eight codewords of n bits are n bytes, which fit a 64-bit word.

namespace axelram::portable {
namespace {

constexpr std::size_t kBlockWords = 32;
constexpr int kGroups = kBlockWords / 8;

template <int n>
void encode_k4(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
               std::uint8_t* codewords) {
  for (std::size_t i = 0; i < blocks * kGroups; ++i, data += 4, codewords += n) {
    const std::uint64_t nibbles = load<4>(data);
    std::uint64_t words = 0;
    for (int j = 0; j < 8; ++j)
      words |= std::uint64_t{tables.k4_codewords[nibbles >> (4 * j) & 15]} << (n * j);
    store<n>(codewords, words);
  }
}

/// Decodes eight words and returns their statuses.
template <int n>
unsigned decode_group(const CodeTables& tables, const std::uint8_t* codewords, std::uint8_t* data) {
  constexpr unsigned kWord = (1U << n) - 1;
  const std::uint64_t words = load<n>(codewords);
  std::uint64_t nibbles = 0;
  unsigned marks = 0;
  for (int j = 0; j < 8; ++j) {
    const auto word = static_cast<unsigned>(words >> (n * j) & kWord);
    // The received word and the codeword of its data differ in the syndrome alone.
    const unsigned syndrome = (tables.k4_codewords[word & 15] ^ word) >> 4;
    const unsigned found = tables.k4_patterns[syndrome];
    nibbles |= std::uint64_t{(word ^ found) & 15} << (4 * j);
    marks |= found >> 4 << (2 * j);
  }
  store<4>(data, nibbles);
  return marks;
}

template <int n>
void decode_k4(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
               std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  for (; blocks != 0; --blocks) {
    std::uint64_t marks = 0;
    for (int i = 0; i < kGroups; ++i, codewords += n, data += 4)
      marks |= std::uint64_t{decode_group<n>(tables, codewords, data)} << (16 * i);
    count_errors(marks, errors);
    if (statuses == nullptr) continue;
    store<8>(statuses, marks);
    statuses += kBlockWords / 4;
  }
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

}  // namespace axelram::portable
