#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// RNE(value / 2^shift) for value < 2^63; shift >= 0.
AXELRAM_HD std::uint64_t shift_right_rne(std::uint64_t value, int shift) {
  if (shift == 0) return value;
  if (shift > 63) return 0;
  const std::uint64_t down = value >> shift;
  const std::uint64_t rest = value & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return down + (rest > half || (rest == half && (down & 1) != 0) ? 1 : 0);
}

/// floor(value / 2^shift + 1/2), |value| < 2^62; shift >= 0.
AXELRAM_HD std::int64_t shift_right_half_up(std::int64_t value, int shift) {
  if (shift == 0) return value;
  if (shift > 62) return 0;
  return (value >> shift) + (value >> (shift - 1) & 1);
}

/// logit_ref: RNE(score * significand * 2^(exponent + 12)), at most 2^26 - 1 in magnitude
/// (bit-contract.md#logit). score: finite.
AXELRAM_HD std::int32_t logit_ref(float score, std::uint32_t significand, int exponent,
                                  bool* saturated) {
  constexpr std::int32_t kLargest = (1 << 26) - 1;
  const std::uint32_t bits = bits_of_float(score), field = bits >> 23 & 255U;
  const std::uint64_t product =
      std::uint64_t{(bits & 0x7FFFFFU) | (field != 0 ? 1U << 23 : 0U)} * significand;
  const int up = static_cast<int>(field != 0 ? field : 1U) - 150 + exponent + 12;
  // A product of 40 bits that moves up by 27 and more saturates if it is not 0.
  const std::uint64_t magnitude =
      up <= 0 ? shift_right_rne(product, -up) : product << (up > 24 ? 24 : up);
  *saturated = magnitude > kLargest || (up > 24 && product != 0);
  const std::int32_t z = *saturated ? kLargest : static_cast<std::int32_t>(magnitude);
  return (bits >> 31) != 0 ? -z : z;
}

}  // namespace axelram::kernels
