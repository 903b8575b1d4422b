#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

struct Code;
struct CodeTables;
enum class SimdLevel;

/// Words that were not clean, by status.
struct ErrorCounts {
  std::uint64_t corrected, parity_only, detected;
};

/// Coding of whole blocks of `block_words` words; blocks start and end at bytes in data, codewords
/// and statuses alike. decode adds to *errors; statuses may be null.
struct CodeKernels {
  std::size_t block_words;
  void (*encode)(const CodeTables& tables, const std::uint8_t* data, std::size_t blocks,
                 std::uint8_t* codewords);
  void (*decode)(const CodeTables& tables, const std::uint8_t* codewords, std::size_t blocks,
                 std::uint8_t* data, std::uint8_t* statuses, ErrorCounts* errors);
};

constexpr std::size_t kMaxBlockWords = 64;
constexpr int kMaxCodewordBits = 76;
constexpr std::size_t kMaxBlockBytes = kMaxBlockWords * kMaxCodewordBits / 8;

/// What the kernels know about a code, all of it derived from its rows and patterns. Plain arrays:
/// sources of a level call no library functions (see kernels.hpp).
struct CodeTables {
  int n;
  int k;
  CodeKernels kernels;

  /// Check bits of byte i of the data, and by syndrome the error in the data and the status.
  std::uint16_t byte_checks[8][256];
  std::uint64_t errors[4096];
  std::uint8_t statuses[4096];

  /// k = 4 and n <= 8: codewords by data; by syndrome, the error in bits 0..3 and the status in
  /// bits 4..5.
  alignas(16) std::uint8_t nibble_codewords[16];
  alignas(16) std::uint8_t nibble_patterns[16];

  /// k = 12 and n = 24: check bits of the lower and of the upper six bits of data; by syndrome, the
  /// error in bits 0..11 and the status in bits 12..13. A gather reads 32 bits.
  alignas(64) std::uint16_t half_checks[2][64];
  std::uint16_t short_patterns[4096 + 1];
  /// The same check bits by nibble of data: their lower eight, then their upper four.
  alignas(16) std::uint8_t dozen_checks[3][2][16];

  /// n = k + 8: check bits of the lower and of the upper four bits of a byte of data, sixteen
  /// entries a byte.
  alignas(64) std::uint8_t low_checks[128];
  alignas(64) std::uint8_t high_checks[128];
  /// Of syndromes 0..127, then 128..255: low bits of the statuses, sixteen bytes, then high bits.
  alignas(32) std::uint8_t status_bits[2][32];
};

// kWords takes any code, the others shapes: kNibbles k = 4 and n = 7 or 8, kDozens k = 12 and
// n = 24, kSecded k = 64 and n = 72.
namespace portable {
extern const CodeKernels kWords;
extern const CodeKernels kNibbles;
extern const CodeKernels kDozens;
}  // namespace portable
namespace avx2 {
extern const CodeKernels kNibbles;
extern const CodeKernels kDozens;
extern const CodeKernels kSecded;
}  // namespace avx2
namespace avx512 {
extern const CodeKernels kNibbles;
extern const CodeKernels kDozens;
extern const CodeKernels kSecded;
}  // namespace avx512

/// The kernels of `level`, or of the best level where this CPU cannot run it, for words of n bits,
/// k of them data.
const CodeKernels& code_kernels(int n, int k, SimdLevel level);

/// Fills tables of zeros.
void derive_tables(const Code& code, SimdLevel level, CodeTables* tables);

}  // namespace axelram
