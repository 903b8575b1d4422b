#include <algorithm>
#include <bit>
#include <cmath>

#include "axelram/fast_keys.hpp"
#include "axelram/half.hpp"
#include "axelram/rounding.hpp"
#include "simd/level_units.hpp"

namespace axelram {

std::uint64_t square_sum(const std::int32_t* m, int d, SimdLevel level) {
  return level_units(level, d % kLevelGroup == 0).square_sum(m, d);
}

std::uint32_t root(std::uint64_t square_sum) {
  // Below 2^48 the root lies at least 2^-27 from any N + 1/2, and its binary64 value at most 2^-28
  // from itself: truncation after adding 1/2 cannot err.
  if (square_sum >> 48 != 0) return root_ref(square_sum);
  return static_cast<std::uint32_t>(std::sqrt(static_cast<double>(square_sum)) + 0.5);
}

Norm norm(std::uint32_t root, int e) {
  constexpr int kFractionBits = 10;
  constexpr int kSmallestUnit = -24;
  constexpr int kMaxExponent = 15;
  constexpr std::uint32_t kMaxSignificand = 2047u << 20;  // 65504 with its leading bit at bit 30
  if (root == 0) return {};
  const int width = static_cast<int>(std::bit_width(root));
  const int exponent = width - 1 + e;
  if (exponent > kMaxExponent ||
      (exponent == kMaxExponent && root << (31 - width) > kMaxSignificand))
    return {kHalfMax, true};
  const int unit = std::max(exponent - kFractionBits, kSmallestUnit);
  const std::int64_t rounded =
      unit > e ? shift_right_rne(root, unit - e) : static_cast<std::int64_t>(root) << (e - unit);
  const std::int64_t half = (std::int64_t{unit - kSmallestUnit} << kFractionBits) + rounded;
  return {static_cast<std::uint16_t>(half), false};
}

}  // namespace axelram
