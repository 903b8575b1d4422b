#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "axelram/half.hpp"

namespace axelram {

// Twins of group_scale_ref and group_steps_ref for many values of a group.

/// group_scale_ref: the rounded quotient, corrected by the exact comparison that defines the scale.
inline std::uint16_t group_scale(double high, double low, int steps) {
  const auto value = [](int code) { return half_to_double(static_cast<std::uint16_t>(code)); };
  const auto rounds_above = [&](int code) {
    const double point = low + steps * ((value(code) + value(code + 1)) / 2);
    return high > point || (high == point && code % 2 != 0);
  };
  const double quotient = std::clamp((high - low) / steps, 0.0, value(kHalfMax));
  int code = double_to_half(quotient);
  while (code > 0 && !rounds_above(code - 1)) --code;
  while (code < kHalfMax && rounds_above(code)) ++code;
  return static_cast<std::uint16_t>(code);
}

/// Thresholds of group_steps_ref: at[k] is the least float that rounds above k.
struct GroupSteps {
  static constexpr int kMost = 15;

  GroupSteps(double minimum, double scale, int most) {
    constexpr float kNever = std::numeric_limits<float>::infinity();
    std::fill(at, at + kMost, kNever);
    for (int k = 0; k < most && scale != 0; ++k) {
      const double half_way = minimum + (k + 0.5) * scale;
      const auto nearest = static_cast<float>(half_way);
      const bool reached = nearest > half_way || (nearest == half_way && k % 2 != 0);
      at[k] = reached ? nearest : std::nextafter(nearest, kNever);
    }
  }

  /// Thresholds 0 .. most - 1 that x reaches.
  template <int most>
  int count(float x) const {
    int reached = 0;
    for (int k = 0; k < most; ++k) reached += x >= at[k] ? 1 : 0;
    return reached;
  }

  float at[kMost];
};

}  // namespace axelram
