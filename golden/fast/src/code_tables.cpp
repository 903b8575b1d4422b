#include <algorithm>

#include "axelram/code.hpp"
#include "axelram/simd.hpp"
#include "block_coder.hpp"

namespace axelram {
namespace {

/// Check bits of `value` at bits first.. of the data.
std::uint16_t check_bits(const Code& code, std::uint64_t value, int first) {
  std::uint32_t check = 0;
  for (int i = first; i < code.k && value != 0; ++i, value >>= 1)
    if ((value & 1) != 0) check ^= code.parity_rows[static_cast<std::size_t>(i)];
  return static_cast<std::uint16_t>(check);
}

unsigned status_value(const ErrorPattern& pattern) { return static_cast<unsigned>(pattern.status); }

void derive_nibbles(const Code& code, CodeTables* tables) {
  for (unsigned data = 0; data < 16; ++data)
    tables->k4_codewords[data] =
        static_cast<std::uint8_t>(data | unsigned{check_bits(code, data, 0)} << 4);
  for (std::size_t s = 0; s < code.patterns.size(); ++s)
    tables->k4_patterns[s] = static_cast<std::uint8_t>(code.patterns[s].error.data |
                                                       status_value(code.patterns[s]) << 4);
}

void derive_dozens(const Code& code, CodeTables* tables) {
  for (int half = 0; half < 2; ++half)
    for (unsigned value = 0; value < 64; ++value)
      tables->golay12_half_checks[half][value] = check_bits(code, value, 6 * half);
  for (int i = 0; i < 3; ++i)
    for (unsigned value = 0; value < 16; ++value) {
      const unsigned check = check_bits(code, value, 4 * i);
      tables->golay12_nibble_checks[i][0][value] = static_cast<std::uint8_t>(check & 0xFF);
      tables->golay12_nibble_checks[i][1][value] = static_cast<std::uint8_t>(check >> 8);
    }
  for (std::size_t s = 0; s < code.patterns.size(); ++s)
    tables->golay12_patterns[s] = static_cast<std::uint16_t>(code.patterns[s].error.data |
                                                             status_value(code.patterns[s]) << 12);
}

void derive_words(const Code& code, CodeTables* tables) {
  for (int byte = 0; 8 * byte < code.k; ++byte)
    for (unsigned value = 1; value < 256; ++value) {
      // The value without its lowest bit has been done; that bit alone too, unless it is the value.
      const unsigned rest = value & (value - 1);
      std::uint16_t* const checks = tables->byte_checks[byte];
      checks[value] = rest == 0 ? check_bits(code, value, 8 * byte)
                                : static_cast<std::uint16_t>(checks[rest] ^ checks[value ^ rest]);
    }
  for (std::size_t s = 0; s < code.patterns.size(); ++s) {
    tables->errors[s] = code.patterns[s].error.data;
    tables->statuses[s] = static_cast<std::uint8_t>(code.patterns[s].status);
  }
}

void derive_secded(CodeTables* tables) {
  for (unsigned i = 0; i < 128; ++i) {
    const std::uint16_t* const checks = tables->byte_checks[i / 16];
    tables->low_checks[i] = static_cast<std::uint8_t>(checks[i % 16]);
    tables->high_checks[i] = static_cast<std::uint8_t>(checks[i % 16 * 16]);
  }
  for (unsigned s = 0; s < 256; ++s)
    for (unsigned bit = 0; bit < 2; ++bit) {
      std::uint8_t& bits = tables->status_bits[s / 128][16 * bit + s % 128 / 8];
      bits = static_cast<std::uint8_t>(bits | (tables->statuses[s] >> bit & 1U) << (s % 8));
    }
}

bool nibbles(int n, int k) { return k == 4 && (n == 7 || n == 8); }
bool dozens(int n, int k) { return k == 12 && n == 24; }
bool secded(int n, int k) { return k == 64 && n == 72; }

}  // namespace

const BlockCoder& block_coder(int n, int k, SimdLevel level) {
  static const SimdLevel best = best_simd_level();
  const SimdLevel usable = std::min(level, best);
#ifdef AXELRAM_X86
  if (usable == SimdLevel::avx512) {
    if (nibbles(n, k)) return avx512::kK4;
    if (dozens(n, k)) return avx512::kGolay12;
    if (secded(n, k)) return avx512::kSecded64;
  }
  if (usable == SimdLevel::avx2) {
    if (nibbles(n, k)) return avx2::kK4;
    if (dozens(n, k)) return avx2::kGolay12;
    if (secded(n, k)) return avx2::kSecded64;
  }
#endif
  static_cast<void>(usable);
  if (nibbles(n, k)) return portable::kK4;
  return dozens(n, k) ? portable::kGolay12 : portable::kAnyCode;
}

void derive_tables(const Code& code, SimdLevel level, CodeTables* tables) {
  tables->n = code.n;
  tables->k = code.k;
  tables->coder = block_coder(code.n, code.k, level);
  if (nibbles(code.n, code.k)) derive_nibbles(code, tables);
  if (dozens(code.n, code.k)) derive_dozens(code, tables);
  derive_words(code, tables);
  if (secded(code.n, code.k)) derive_secded(tables);
}

}  // namespace axelram
