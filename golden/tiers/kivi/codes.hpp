#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace axelram {

// Eight codes of b bits are b bytes.
constexpr std::size_t kCodes = 8;

/// A finite FP16 number; no denormal of FP32 occurs on the way.
inline float widened(std::uint16_t half) {
  constexpr std::uint32_t kBias = std::uint32_t{127 - 15} << 23;
  constexpr std::uint32_t kHidden = std::uint32_t{1} << 23;
  const std::uint32_t magnitude = std::uint32_t{half & 0x7FFFU} << 13;
  const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16;
  // A subnormal gets a hidden one, which is subtracted again.
  const bool subnormal = magnitude < kHidden;
  const float value = std::bit_cast<float>(magnitude + kBias + (subnormal ? kHidden : 0)) -
                      (subnormal ? 0x1p-14F : 0.0F);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
}

inline std::uint64_t load_codes(const std::uint8_t* from, std::size_t bytes) {
  std::uint64_t codes = 0;
  for (std::size_t i = 0; i < bytes; ++i) codes |= std::uint64_t{from[i]} << (8 * i);
  return codes;
}

inline void store_codes(std::uint64_t codes, std::size_t bytes, std::uint8_t* to) {
  for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(codes >> (8 * i));
}

inline void store_half(std::uint16_t half, std::uint8_t* to) { store_codes(half, 2, to); }

inline float half_at(const std::uint8_t* bytes) {
  return widened(static_cast<std::uint16_t>(load_codes(bytes, 2)));
}

/// Codes of neighbours, a multiple of 8, as floats of a table of 2^bits.
inline void look_up(const float* table, int bits, const std::uint8_t* from, std::size_t count,
                    float* to) {
  const auto bytes = static_cast<std::size_t>(bits);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  for (std::size_t i = 0; i < count; i += kCodes, from += bytes) {
    const std::uint64_t codes = load_codes(from, bytes);
    for (std::size_t k = 0; k < kCodes; ++k) to[i + k] = table[codes >> (bytes * k) & mask];
  }
}

}  // namespace axelram
