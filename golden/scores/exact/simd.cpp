#include "simd/level_units.hpp"
#include "simd/vector.hpp"

/// Sum of rounded query elements times the elements of a copy.

namespace axelram::AXELRAM_LEVEL {

std::int64_t accumulate_copy(const std::int32_t* u, const std::int16_t* copy, int d) {
  const Integers one = broadcast32(1);
  Integers sum = zeros();
  for (int i = 0; i < d; i += 2 * kLanes32) {
    // The upper half of a widened element is 0, so that a pair sum is one product. Two of them fit
    // 32 bits: 2 * (2^15 - 1)^2 < 2^31.
    const Integers low = pair_sums32(load(u + i), widen16(load_half(copy + i)));
    const Integers high =
        pair_sums32(load(u + i + kLanes32), widen16(load_half(copy + i + kLanes32)));
    const Integers products = add32(low, high);
    sum = add64(sum, multiply_even(products, one));  // sign extension
    sum = add64(sum, multiply_even(odd_lanes(products), one));
  }
  return static_cast<std::int64_t>(sum64(sum));
}

}  // namespace axelram::AXELRAM_LEVEL
