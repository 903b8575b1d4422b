#pragma once

#include <cstdint>

#include "axelram/softmax.hpp"
#include "units/logit.cuh"
#include "units/power_of_two.cuh"
#include "units/score.cuh"

/// The softmax of a query in integers (bit-contract.md#softmax).
namespace axelram::kernels {

/// SoftmaxState: m, L and r.
struct SoftmaxIntegers {
  std::int32_t maximum = kNoReference;
  std::uint64_t denominator = 0;
  std::int32_t weight_reference = kNoReference;
};

/// TokenWeight: w, and by how much the sums are shifted before it joins them.
struct TokenWeight {
  bool present, first;
  std::int32_t shift;
  std::uint32_t weight;
};

/// softmax_ref: the next token joins the denominator, and its value gets a weight. norm: of the
/// value's record; weight_bits: FW.
AXELRAM_HD TokenWeight softmax_ref(SoftmaxIntegers& state, const Power& power, std::uint16_t norm,
                                   int weight_bits) {
  const auto rounded = [](std::uint64_t value, std::int32_t shift) {
    return static_cast<std::uint64_t>(shift_right_half_up(static_cast<std::int64_t>(value), shift));
  };
  const std::int32_t maximum = state.maximum < power.exponent ? power.exponent : state.maximum;
  state.denominator =
      rounded(state.denominator, maximum - state.maximum) +
      rounded(static_cast<std::uint64_t>(power.mantissa) << 16, maximum - power.exponent);
  state.maximum = maximum;

  const NormParts value = decode_norm(norm);
  TokenWeight token{};
  if (value.sigma == 0) return token;
  const std::int32_t exponent = power.exponent + value.epsilon + 11;
  const std::int32_t before = state.weight_reference;
  state.weight_reference = before < exponent ? exponent : before;
  token.present = true;
  token.first = before == kNoReference;
  token.shift = token.first ? 0 : state.weight_reference - before;
  const std::uint64_t product =
      static_cast<std::uint64_t>(power.mantissa) * static_cast<std::uint32_t>(value.sigma);
  const std::int32_t down = 27 - weight_bits + state.weight_reference - exponent;
  token.weight =
      static_cast<std::uint32_t>(down < 0 ? product << -down : shift_right_rne(product, down));
  return token;
}

}  // namespace axelram::kernels
