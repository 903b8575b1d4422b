#include "axelram/logit.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "axelram/rounding.hpp"

namespace axelram {

BinaryScale softmax_scale(double score_scale, double scale) {
  constexpr double kLog2OfE = 1.4426950408889634;
  const double product = (score_scale * scale) * kLog2OfE;
  if (!(product > 0) || !std::isfinite(product))
    throw std::invalid_argument("the softmax scale is 0 or infinite; it must be a positive number");
  const BinaryScale found = binary_scale(product, 16);
  if (found.exponent < -128 || found.exponent > 127)
    throw std::invalid_argument("the softmax scale has an exponent of " +
                                std::to_string(found.exponent) + "; it must lie in -128..127");
  return found;
}

std::int32_t logit_ref(float score, const BinaryScale& scale, bool* saturated) {
  int exponent = 0;
  const float fraction = std::frexp(score, &exponent);
  const auto significand = static_cast<std::int64_t>(std::ldexp(fraction, 24));
  const std::int64_t product = significand * scale.significand;  // 40 bits
  const auto magnitude = static_cast<std::uint64_t>(product < 0 ? -product : product);
  const int shift = exponent - 24 + scale.exponent + kLogitFractionBits;
  std::int64_t z = 0;
  if (magnitude != 0 && bit_length(magnitude) + shift > 27)
    z = std::int64_t{kLargestLogit} + 1;
  else if (magnitude != 0 && shift >= 0)
    z = static_cast<std::int64_t>(magnitude << shift);
  else
    z = shift_right_rne(static_cast<std::int64_t>(magnitude), -shift);
  *saturated = z > kLargestLogit;
  if (*saturated) z = kLargestLogit;
  return static_cast<std::int32_t>(product < 0 ? -z : z);
}

}  // namespace axelram
