#include "axelram/half.hpp"
#include "axelram/norm.hpp"
#include "axelram/rounding.hpp"

namespace axelram {

std::uint64_t square_sum_ref(const std::int32_t* m, int d) {
  std::uint64_t sum = 0;
  for (int i = 0; i < d; ++i) {
    const std::int64_t value = m[i];
    sum += static_cast<std::uint64_t>(value * value);
  }
  return sum;
}

std::uint32_t root_ref(std::uint64_t square_sum) {
  // Restoring square root, one result bit per step, as the hardware does it.
  std::uint64_t remainder = square_sum;
  std::uint64_t floor = 0;
  for (int bit = 30; bit >= 0; --bit) {
    const std::uint64_t trial = ((2 * floor) << bit) + (std::uint64_t{1} << (2 * bit));
    if (trial > remainder) continue;
    remainder -= trial;
    floor += std::uint64_t{1} << bit;
  }
  // (floor + 1/2)^2 = floor^2 + floor + 1/4 lies between the integers floor^2 + floor and + 1.
  return static_cast<std::uint32_t>(floor + (remainder > floor ? 1 : 0));
}

Norm norm_ref(std::uint32_t root, int e) {
  constexpr std::uint64_t kMaxSignificand = 2047;  // 65504 = 2047 * 2^5
  constexpr int kMaxExponent = 5;
  if (exceeds(root, e, kMaxSignificand, kMaxExponent)) return {kHalfMax, true};
  return {static_cast<std::uint16_t>(encode_rne(root, e, 10, 15)), false};
}

}  // namespace axelram
