#include "axelram/rounding.hpp"
#include "axelram/scale.hpp"

namespace axelram {

std::int64_t correlation_ref(const std::int32_t* y, const std::uint8_t* indices, int d,
                             const std::int32_t* centroids, int /*levels*/) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += std::int64_t{y[i]} * centroids[indices[i]];
  return sum;
}

Norm unbiased_norm_ref(std::uint64_t square_sum, std::int64_t correlation, int exponent) {
  // Twelve bits are a significand of FP16 and its half unit. The leading quotient bit may be 0.
  constexpr int kQuotientBits = 13;
  constexpr int kNormalBits = 62;
  if (square_sum == 0 || correlation <= 0) return {};
  const auto divisor_raw = static_cast<std::uint64_t>(correlation);
  const int dividend_shift = kNormalBits - bit_length(square_sum);
  const int divisor_shift = kNormalBits - bit_length(divisor_raw);
  std::uint64_t remainder = square_sum << dividend_shift;
  const std::uint64_t divisor = divisor_raw << divisor_shift;
  // Restoring division, one quotient bit per step, as the hardware does it.
  std::uint32_t quotient = 0;
  for (int bit = 0; bit < kQuotientBits; ++bit) {
    quotient *= 2;
    if (remainder >= divisor) {
      remainder -= divisor;
      ++quotient;
    }
    remainder *= 2;
  }
  const std::uint32_t sticky = remainder != 0 ? 1 : 0;
  return norm_ref(2 * quotient + sticky, exponent + divisor_shift - dividend_shift - kQuotientBits);
}

}  // namespace axelram
