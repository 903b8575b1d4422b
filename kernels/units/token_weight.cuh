#pragma once

#include <cstdint>

#include "axelram/softmax.hpp"
#include "device/platform.cuh"
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

/// TokenWeight of token `lane`: w, by how much the sums are shifted before it joins them, and r
/// behind it. A token without a weight, or none, has w = 0 and no shift.
struct TokenWeight {
  std::int32_t weight, shift, reference;
};

/// The largest value of lanes 0 .. lane, and of `before`.
AXELRAM_DEVICE std::int32_t largest_so_far(std::int32_t value, std::int32_t before) {
  const unsigned lane = lane_index();
  const auto larger = [](std::int32_t a, std::int32_t b) { return a < b ? b : a; };
  AXELRAM_UNROLL
  for (unsigned step = 1; step < 32; step *= 2)
    value = larger(value, shuffle(value, lane >= step ? lane - step : lane));
  return larger(value, before);
}
/// Each lane gets what the lane before has; lane 0 gets `first`.
AXELRAM_DEVICE std::int32_t from_lane_before(std::int32_t value, std::int32_t first) {
  const std::int32_t before = shuffle(value, lane_index() == 0 ? 0 : lane_index() - 1);
  return lane_index() == 0 ? first : before;
}

/// `count` calls of golden's softmax_ref: the next tokens join the denominator, and their values
/// get weights. Lane l has token l, its power and its value's norm. Maxima so far are maxima of
/// prefixes, so that all tokens are weighed together; the denominator alone goes from one move of m
/// to the next. weight_bits: FW.
AXELRAM_DEVICE TokenWeight weigh_tokens(SoftmaxIntegers& state, int count, const Power& power,
                                        std::uint16_t norm, int weight_bits) {
  const auto rounded = [](std::uint64_t value, std::int32_t shift) {
    return static_cast<std::uint64_t>(shift_right_half_up(static_cast<std::int64_t>(value), shift));
  };
  const bool here = static_cast<int>(lane_index()) < count;
  const std::int32_t maximum = largest_so_far(here ? power.exponent : kNoReference, state.maximum);
  const std::int32_t rise = maximum - from_lane_before(maximum, state.maximum);
  const std::uint64_t share =
      here ? rounded(static_cast<std::uint64_t>(power.mantissa) << 16, maximum - power.exponent)
           : 0;
  int begin = 0;  // of the tokens that have not joined
  const auto join_until = [&](int end) {
    const int lane = static_cast<int>(lane_index());
    std::uint64_t sum = lane >= begin && lane < end ? share : 0;
    AXELRAM_UNROLL
    for (unsigned mask = 1; mask < 32; mask *= 2) sum += shuffle_xor(sum, mask);
    state.denominator += sum;
    begin = end;
  };
  for (std::uint32_t rises = ballot(rise != 0); rises != 0; rises &= rises - 1) {
    join_until(lowest_one(rises));
    state.denominator = rounded(state.denominator, shuffle(rise, static_cast<unsigned>(begin)));
  }
  join_until(count);
  state.maximum = shuffle(maximum, 31);

  const NormParts value = decode_norm(norm);
  const bool present = here && value.sigma != 0;
  const std::int32_t exponent = power.exponent + value.epsilon + 11;
  TokenWeight token{};
  token.reference = largest_so_far(present ? exponent : kNoReference, state.weight_reference);
  const std::int32_t before = from_lane_before(token.reference, state.weight_reference);
  state.weight_reference = shuffle(token.reference, 31);
  if (!present) return token;
  token.shift = before == kNoReference ? 0 : token.reference - before;
  const std::uint64_t product =
      static_cast<std::uint64_t>(power.mantissa) * static_cast<std::uint32_t>(value.sigma);
  const std::int32_t down = 27 - weight_bits + token.reference - exponent;
  token.weight =
      static_cast<std::int32_t>(down < 0 ? product << -down : shift_right_rne(product, down));
  return token;
}

}  // namespace axelram::kernels
