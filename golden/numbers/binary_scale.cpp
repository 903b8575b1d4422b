#include "axelram/binary_scale.hpp"

#include <cmath>

#include "axelram/rounding.hpp"

namespace axelram {

BinaryScale binary_scale(double x, int bits) {
  constexpr int kDoubleBits = 53;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // in [1/2, 1)
  const auto whole = static_cast<std::int64_t>(std::ldexp(fraction, kDoubleBits));
  std::int64_t significand = shift_right_rne(whole, kDoubleBits - bits);
  exponent -= bits;
  if (significand >> bits != 0) {
    significand >>= 1;
    ++exponent;
  }
  return {static_cast<std::uint32_t>(significand), exponent};
}

}  // namespace axelram
