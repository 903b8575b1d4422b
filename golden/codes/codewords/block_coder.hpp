#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

struct Code;
struct CodeTables;
enum class SimdLevel;

/// Words that are not clean, by status.
struct ErrorCounts {
  std::uint64_t corrected, parity_only, detected;
};

/// Codes whole blocks of `block_words` words (bit-contract.md#codewords). Blocks start and end at
/// bytes in data, codewords and statuses alike. decode adds to *errors; statuses may be null.
struct BlockCoder {
  std::size_t block_words;
  void (*encode)(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
                 std::uint8_t* codewords);
  void (*decode)(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
                 std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors);
};

constexpr std::size_t kMaxBlockWords = 64;
constexpr int kMaxCodewordBits = 76;
constexpr std::size_t kMaxBlockBytes = kMaxBlockWords * kMaxCodewordBits / 8;

/// One code with its coder and the tables that the coder reads, all derived from its rows and coset
/// leaders. Plain arrays: sources of a level call no library functions (level_units.hpp).
struct CodeTables {
  int n;
  int k;
  BlockCoder coder;

  /// Check bits of byte i of the data, and by syndrome the error in the data and the status.
  std::uint16_t byte_checks[8][256];
  std::uint64_t errors[4096];
  std::uint8_t statuses[4096];

  /// k = 4 and n <= 8: codewords by data; by syndrome, the error in bits 0..3 and the status in
  /// bits 4..5.
  alignas(16) std::uint8_t k4_codewords[16];
  alignas(16) std::uint8_t k4_patterns[16];

  /// k = 12 and n = 24: check bits of the lower and of the upper six bits of data; by syndrome, the
  /// error in bits 0..11 and the status in bits 12..13. A gather reads 32 bits.
  alignas(64) std::uint16_t golay12_half_checks[2][64];
  std::uint16_t golay12_patterns[4096 + 1];
  /// The same check bits by nibble of data: their lower eight, then their upper four.
  alignas(16) std::uint8_t golay12_nibble_checks[3][2][16];

  /// n = k + 8: check bits of the lower and of the upper four bits of a byte of data, sixteen
  /// entries a byte.
  alignas(64) std::uint8_t low_checks[128];
  alignas(64) std::uint8_t high_checks[128];
  /// Of syndromes 0..127, then 128..255: low bits of the statuses, sixteen bytes, then high bits.
  alignas(32) std::uint8_t status_bits[2][32];
};

// Coders by shape, not by name: kAnyCode takes any code, kK4 k = 4 and n = 7 or 8, kGolay12 k = 12
// and n = 24, kSecded64 k = 64 and n = 72.
namespace portable {
extern const BlockCoder kAnyCode;
extern const BlockCoder kK4;
extern const BlockCoder kGolay12;
}  // namespace portable
namespace avx2 {
extern const BlockCoder kK4;
extern const BlockCoder kGolay12;
extern const BlockCoder kSecded64;
}  // namespace avx2
namespace avx512 {
extern const BlockCoder kK4;
extern const BlockCoder kGolay12;
extern const BlockCoder kSecded64;
}  // namespace avx512

/// Chooses the coder of `level`, or of the best level that this CPU can run, and fills `tables`,
/// which must be zeros.
void derive_tables(const Code& code, SimdLevel level, CodeTables* tables);

}  // namespace axelram
