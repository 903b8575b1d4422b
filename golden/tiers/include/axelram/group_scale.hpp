#pragma once

#include <cstdint>

namespace axelram {

// The two roundings of a group of values that share a scale, each of the exact quotient
// (bit-contract.md#int4, bit-contract.md#kivi).

/// FP16 RNE((high - low) / steps), of the exact quotient; 0 where it is negative, at most 65504.
/// low is an FP16 value, high any float, steps 1..16.
std::uint16_t group_scale_ref(double high, double low, int steps);

/// clamp(RNE((x - minimum) / scale), 0, most), of the exact quotient; 0 where scale is 0. minimum
/// is an FP16 value, scale >= 0 one or five times one, x any float, most <= 15.
int group_steps_ref(double x, double minimum, double scale, int most);

}  // namespace axelram
