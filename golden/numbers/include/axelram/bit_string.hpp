#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

/// Ones among the bits.
inline int weight(std::uint64_t bits) {
  int ones = 0;
  for (; bits != 0; bits &= bits - 1) ++ones;
  return ones;
}

/// `count` bits (at most 64) from bit `at` on; bit 0 is the least significant bit of byte 0.
inline std::uint64_t read_bits(const std::uint8_t* bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) {
    const std::size_t bit = at + static_cast<std::size_t>(i);
    value |= static_cast<std::uint64_t>(bytes[bit / 8] >> (bit % 8) & 1) << i;
  }
  return value;
}

inline void write_bits(std::uint8_t* bytes, std::size_t at, int count, std::uint64_t value) {
  for (int i = 0; i < count; ++i) {
    const std::size_t bit = at + static_cast<std::size_t>(i);
    const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
    const bool one = (value >> i & 1U) != 0;
    bytes[bit / 8] =
        static_cast<std::uint8_t>(one ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask);
  }
}

}  // namespace axelram
