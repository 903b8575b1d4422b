#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram::faults {

/// Strings of bits; bit 0 is the least significant bit of byte 0 (bit contract).
inline bool get_bit(const std::uint8_t* bytes, std::size_t at) {
  return (bytes[at / 8] >> (at % 8) & 1) != 0;
}
inline void toggle_bit(std::uint8_t* bytes, std::size_t at) {
  bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] ^ 1U << (at % 8));
}
/// `count` bits, at most 64, from bit `at` on.
inline std::uint64_t get_bits(const std::uint8_t* bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i)
    value |= static_cast<std::uint64_t>(get_bit(bytes, at + static_cast<std::size_t>(i))) << i;
  return value;
}

}  // namespace axelram::faults
