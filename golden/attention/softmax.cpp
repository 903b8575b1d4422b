#include "axelram/softmax.hpp"

#include <algorithm>

#include "axelram/half.hpp"
#include "axelram/rounding.hpp"

namespace axelram {

TokenWeight softmax_ref(SoftmaxState* state, const PowerOfTwo& power, std::uint16_t norm,
                        int weight_bits) {
  const int maximum = std::max(state->maximum, power.exponent);
  const auto half_up = [](std::uint64_t value, int shift) {
    return static_cast<std::uint64_t>(shift_right_half_up(static_cast<std::int64_t>(value), shift));
  };
  // Without a token L is 0, and the distance to kNoReference shifts nothing.
  state->denominator =
      half_up(state->denominator, maximum - state->maximum) +
      half_up(static_cast<std::uint64_t>(power.mantissa) << 16, maximum - power.exponent);
  state->maximum = maximum;

  const NormValue value = decode_norm(norm);
  TokenWeight token;
  if (value.significand == 0) return token;
  const int exponent = power.exponent + value.exponent + 11;
  const int before = state->weight_reference;
  state->weight_reference = std::max(before, exponent);
  token.present = true;
  token.first = before == kNoReference;
  token.shift = token.first ? 0 : state->weight_reference - before;
  const std::int64_t product = std::int64_t{power.mantissa} * value.significand;
  const int shift = 27 - weight_bits + state->weight_reference - exponent;
  token.weight =
      static_cast<std::uint32_t>(shift < 0 ? product << -shift : shift_right_rne(product, shift));
  return token;
}

}  // namespace axelram
