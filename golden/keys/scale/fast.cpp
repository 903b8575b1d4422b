#include <bit>

#include "axelram/fast_keys.hpp"
#include "axelram/scale.hpp"
#include "simd/level_units.hpp"

namespace axelram {

std::int64_t correlation(const std::int32_t* y, const std::uint8_t* indices, int d,
                         const std::int32_t* centroids, int levels, SimdLevel level) {
  const bool macro_shape = d % kLevelGroup == 0 && (levels == 2 || levels == 4 || levels == 8 ||
                                                    levels == 16 || levels == 32);
  const LevelUnits& units = level_units(level, macro_shape);
  return units.correlation(y, indices, d, centroids, levels);
}

Norm unbiased_norm(std::uint64_t square_sum, std::int64_t correlation, int exponent) {
  constexpr int kQuotientBits = 13;  // the first may be 0
  if (square_sum == 0 || correlation <= 0) return {};
  const auto divisor = static_cast<std::uint64_t>(correlation);
  const int shift = static_cast<int>(std::bit_width(divisor)) + kQuotientBits -
                    static_cast<int>(std::bit_width(square_sum));
  if (shift < 0) return unbiased_norm_ref(square_sum, correlation, exponent);
  const std::uint64_t dividend = square_sum << shift;
  const std::uint64_t quotient = dividend / divisor;
  const std::uint64_t sticky = dividend != quotient * divisor ? 1 : 0;
  return norm(static_cast<std::uint32_t>(2 * quotient + sticky), exponent - shift - 1);
}

}  // namespace axelram
