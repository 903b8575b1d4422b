#include <bit>

#include "code_kernels.hpp"

/// Codes of four data bits: eight codewords of n bits are n bytes, which fit a 64-bit word.

namespace axelram::portable {
namespace {

constexpr std::size_t kBlockWords = 8;

template <int bytes>
std::uint64_t load(const std::uint8_t* from) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= std::uint64_t{from[i]} << (8 * i);
  return value;
}

template <int bytes>
void store(std::uint8_t* to, std::uint64_t value) {
  for (int i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i) & 0xFF);
}

template <int n>
void encode_nibbles(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
                    std::uint8_t* codewords) {
  for (; blocks != 0; --blocks, data += 4, codewords += n) {
    const std::uint64_t nibbles = load<4>(data);
    std::uint64_t words = 0;
    for (int j = 0; j < 8; ++j)
      words |= std::uint64_t{tables.nibble_codewords[nibbles >> (4 * j) & 15]} << (n * j);
    store<n>(codewords, words);
  }
}

template <int n>
void decode_nibbles(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
                    std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  constexpr unsigned kWord = (1U << n) - 1;
  ErrorCounts counts = {};
  for (; blocks != 0; --blocks, codewords += n, data += 4) {
    const std::uint64_t words = load<n>(codewords);
    std::uint64_t nibbles = 0;
    unsigned marks = 0;
    for (int j = 0; j < 8; ++j) {
      const auto word = static_cast<unsigned>(words >> (n * j) & kWord);
      // The received word and the codeword of its data differ in the syndrome alone.
      const unsigned syndrome = (tables.nibble_codewords[word & 15] ^ word) >> 4;
      const unsigned found = tables.nibble_patterns[syndrome];
      nibbles |= std::uint64_t{(word ^ found) & 15} << (4 * j);
      marks |= (found >> 4) << (2 * j);
    }
    store<4>(data, nibbles);
    if (marks != 0) {
      const unsigned low = marks & 0x5555;
      const unsigned high = marks >> 1 & 0x5555;
      counts.corrected += static_cast<unsigned>(std::popcount(low & ~high));
      counts.parity_only += static_cast<unsigned>(std::popcount(high & ~low));
      counts.detected += static_cast<unsigned>(std::popcount(low & high));
    }
    if (statuses == nullptr) continue;
    store<2>(statuses, marks);
    statuses += 2;
  }
  errors->corrected += counts.corrected;
  errors->parity_only += counts.parity_only;
  errors->detected += counts.detected;
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

}  // namespace axelram::portable
