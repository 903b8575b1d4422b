#pragma once

#include <array>
#include <cstdint>

namespace axelram {

/// The ROM of a power of two (bit-contract.md#power-of-two), the same for every configuration: 25
/// bits of 2^(24 - i/64) and 12 bits of its decrease in a 64th of a step to the next.
struct PowerOfTwoRom {
  std::array<std::int32_t, 64> base;
  std::array<std::int32_t, 64> slope;
};
const PowerOfTwoRom& power_of_two_rom();

/// mantissa * 2^(exponent - 16), of 2^(z / 4096).
struct PowerOfTwo {
  std::int32_t mantissa;  ///< 32774..65536
  int exponent;           ///< a = ceil(z / 4096), -16383..16384
};

/// 2^(z / 4096) to a relative -1.3e-5..+3.1e-5 (bit-contract.md#power-of-two). |z| < 2^26.
PowerOfTwo power_of_two_ref(std::int32_t z);

}  // namespace axelram
