#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// The sum of squares; d is a multiple of 32.

namespace axelram::AXELRAM_LEVEL {

std::uint64_t square_sum(const std::int32_t* m, int d) {
  Integers even = zeros();
  Integers odd = zeros();
  for (int i = 0; i < d; i += kLanes32) {
    const Integers value = load(m + i);
    const Integers upper = odd_lanes(value);
    even = add64(even, multiply_even(value, value));
    odd = add64(odd, multiply_even(upper, upper));
  }
  return sum64(add64(even, odd));
}

}  // namespace axelram::AXELRAM_LEVEL
