#pragma once

#include <cstdint>

/// The rounding of rotated queries, copies and residuals, compiled once per level (hence no
/// external linkage) in loops over whole vectors that are plain enough for the compiler to
/// vectorise.

namespace axelram {
namespace {

inline int round_all_elements(const std::int32_t* y, int d, int bits, std::int32_t* u) {
  std::uint32_t most = 0;  // only its length counts, so that bits may be gathered
  for (int i = 0; i < d; ++i) {
    const std::int32_t sign = y[i] >> 31;
    most |= static_cast<std::uint32_t>((y[i] ^ sign) - sign);
  }
  const int length = most == 0 ? 0 : 32 - __builtin_clz(most);
  const int shift = length > bits - 1 ? length - (bits - 1) : 0;
  if (shift == 0) {
    for (int i = 0; i < d; ++i) u[i] = y[i];
    return 0;
  }
  const std::int32_t limit = (std::int32_t{1} << (bits - 1)) - 1;
  const std::int32_t below = (std::int32_t{1} << shift) - 1;
  const std::int32_t half = std::int32_t{1} << (shift - 1);
  for (int i = 0; i < d; ++i) {
    const std::int32_t down = y[i] >> shift;
    // An odd quotient takes ties up: as if its remainder were one more.
    const std::int32_t up = (y[i] & below) + (down & 1) > half ? 1 : 0;
    const std::int32_t rounded = down + up;
    const std::int32_t capped = rounded > limit ? limit : rounded;
    u[i] = capped < -limit ? -limit : capped;
  }
  return shift;
}

}  // namespace
}  // namespace axelram
