#include <algorithm>

#include "axelram/code.hpp"
#include "axelram/simd.hpp"
#include "block_coder.hpp"

namespace axelram {
namespace {

/// Check bits of data whose bits from `first` on are `value`.
std::uint16_t check_bits(const Code& code, std::uint64_t value, int first) {
  std::uint32_t check = 0;
  for (int i = first; i < code.k && value != 0; ++i, value >>= 1)
    if ((value & 1) != 0) check ^= code.parity_rows[static_cast<std::size_t>(i)];
  return static_cast<std::uint16_t>(check);
}

unsigned status_value(const ErrorPattern& pattern) { return static_cast<unsigned>(pattern.status); }

void derive_k4(const Code& code, CodeTables* tables) {
  for (unsigned data = 0; data < 16; ++data)
    tables->k4_codewords[data] =
        static_cast<std::uint8_t>(data | unsigned{check_bits(code, data, 0)} << 4);
  for (std::size_t s = 0; s < code.patterns.size(); ++s)
    tables->k4_patterns[s] = static_cast<std::uint8_t>(code.patterns[s].error.data |
                                                       status_value(code.patterns[s]) << 4);
}

void derive_golay12(const Code& code, CodeTables* tables) {
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

void derive_any(const Code& code, CodeTables* tables) {
  for (int byte = 0; 8 * byte < code.k; ++byte)
    for (unsigned value = 1; value < 256; ++value) {
      // Smaller values are known: the value without its lowest bit, and that bit alone.
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

void derive_secded64(CodeTables* tables) {
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

/// Shapes of codes that have coders. The shape alone chooses: any code with n and k of a shape is
/// coded by its tables, whatever its name.
enum class Shape { any, k4, golay12, secded64 };

Shape shape_of(int n, int k) {
  if (k == 4 && (n == 7 || n == 8)) return Shape::k4;
  if (k == 12 && n == 24) return Shape::golay12;
  if (k == 64 && n == 72) return Shape::secded64;
  return Shape::any;
}

/// Coders of one level, by shape.
struct LevelCoders {
  const BlockCoder* any;
  const BlockCoder* k4;
  const BlockCoder* golay12;
  const BlockCoder* secded64;

  const BlockCoder& of(Shape shape) const {
    switch (shape) {
      case Shape::any:
        return *any;
      case Shape::k4:
        return *k4;
      case Shape::golay12:
        return *golay12;
      case Shape::secded64:
        return *secded64;
    }
    return *any;
  }
};

/// By SimdLevel.
constexpr LevelCoders kCoders[] = {
    {&portable::kAnyCode, &portable::kK4, &portable::kGolay12, &portable::kAnyCode},
#ifdef AXELRAM_X86
    {&portable::kAnyCode, &avx2::kK4, &avx2::kGolay12, &avx2::kSecded64},
    {&portable::kAnyCode, &avx512::kK4, &avx512::kGolay12, &avx512::kSecded64},
#endif
};

}  // namespace

void derive_tables(const Code& code, SimdLevel level, CodeTables* tables) {
  static const SimdLevel best = best_simd_level();
  const Shape shape = shape_of(code.n, code.k);
  tables->n = code.n;
  tables->k = code.k;
  tables->coder = kCoders[static_cast<int>(std::min(level, best))].of(shape);
  derive_any(code, tables);
  switch (shape) {
    case Shape::any:
      return;
    case Shape::k4:
      return derive_k4(code, tables);
    case Shape::golay12:
      return derive_golay12(code, tables);
    case Shape::secded64:
      return derive_secded64(tables);
  }
}

}  // namespace axelram
