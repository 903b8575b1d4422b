#pragma once

#include <bit>
#include <cstdint>

#include "block_coder.hpp"

namespace axelram::portable {

/// The first `bytes` bytes, at most eight, as a number; byte 0 is the lowest.
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

/// Adds the two-bit statuses of 32 words.
inline void count_errors(std::uint64_t statuses, ErrorCounts* errors) {
  const std::uint64_t low = statuses & 0x5555555555555555;
  const std::uint64_t high = statuses >> 1 & 0x5555555555555555;
  errors->corrected += static_cast<std::uint64_t>(std::popcount(low & ~high));
  errors->parity_only += static_cast<std::uint64_t>(std::popcount(high & ~low));
  errors->detected += static_cast<std::uint64_t>(std::popcount(low & high));
}

}  // namespace axelram::portable
