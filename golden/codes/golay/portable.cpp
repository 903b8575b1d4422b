#include "codes/codewords/block_coder.hpp"
#include "codes/codewords/portable_bytes.hpp"

/// Codes of twelve data and twelve check bits, two words at a time: three bytes of data, six of
/// codewords.

namespace axelram::portable {
namespace {

constexpr std::size_t kBlockWords = 32;
constexpr int kPairs = kBlockWords / 2;
constexpr unsigned kTwelve = 0xFFF;

unsigned check_bits(const CodeTables& tables, unsigned data) {
  return static_cast<unsigned>(tables.golay12_half_checks[0][data & 63] ^
                               tables.golay12_half_checks[1][data >> 6]);
}

std::uint64_t codeword(const CodeTables& tables, unsigned data) {
  return data | check_bits(tables, data) << 12;
}

/// Error in the data in bits 0..11, status in bits 12..13.
unsigned pattern(const CodeTables& tables, unsigned codeword) {
  return tables.golay12_patterns[check_bits(tables, codeword & kTwelve) ^ codeword >> 12];
}

void encode(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
            std::uint8_t* codewords) {
  for (std::size_t i = 0; i < blocks * kPairs; ++i, data += 3, codewords += 6) {
    const auto pair = static_cast<unsigned>(load<3>(data));
    store<6>(codewords, codeword(tables, pair & kTwelve) | codeword(tables, pair >> 12) << 24);
  }
}

void decode(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
            std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors) {
  for (; blocks != 0; --blocks) {
    std::uint64_t marks = 0;
    for (int i = 0; i < kPairs; ++i, codewords += 6, data += 3) {
      const auto first = static_cast<unsigned>(load<3>(codewords));
      const auto second = static_cast<unsigned>(load<3>(codewords + 3));
      const unsigned found0 = pattern(tables, first);
      const unsigned found1 = pattern(tables, second);
      store<3>(data, ((first ^ found0) & kTwelve) | ((second ^ found1) & kTwelve) << 12);
      marks |= std::uint64_t{found0 >> 12 | found1 >> 12 << 2} << (4 * i);
    }
    count_errors(marks, errors);
    if (statuses == nullptr) continue;
    store<8>(statuses, marks);
    statuses += kBlockWords / 4;
  }
}

}  // namespace

const BlockCoder kGolay12 = {kBlockWords, encode, decode};

}  // namespace axelram::portable
