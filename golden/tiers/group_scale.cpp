#include "axelram/group_scale.hpp"

#include "axelram/half.hpp"

namespace axelram {

// Comparisons with half-way points in place of divisions: low and minimum are multiples of 2^-24
// and the points lie on the grid of 2^-25 below 2^21, so that doubles hold them exactly.

std::uint16_t group_scale_ref(double high, double low, int steps) {
  const auto magnitude = [](int code) { return half_to_double(static_cast<std::uint16_t>(code)); };
  const auto rounds_above = [&](int code) {
    const double half_way = (magnitude(code) + magnitude(code + 1)) / 2;
    const double point = low + steps * half_way;
    return high > point || (high == point && code % 2 != 0);
  };
  int least = 0, most = kHalfMax;
  while (least < most) {
    const int middle = (least + most) / 2;
    if (rounds_above(middle))
      least = middle + 1;
    else
      most = middle;
  }
  return static_cast<std::uint16_t>(least);
}

int group_steps_ref(double x, double minimum, double scale, int most) {
  if (scale == 0) return 0;
  int q = 0;
  for (int k = 0; k < most; ++k) {
    const double half_way = minimum + (k + 0.5) * scale;
    if (x > half_way || (x == half_way && k % 2 != 0)) q = k + 1;
  }
  return q;
}

}  // namespace axelram
