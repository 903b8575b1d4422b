#include <algorithm>
#include <cmath>
#include <limits>

#include "axelram/fast_int4.hpp"
#include "axelram/half.hpp"

namespace axelram {
namespace {

constexpr int kMaxSteps = 15;

double half_value(int code) { return half_to_double(static_cast<std::uint16_t>(code)); }

/// group_scale_ref: the rounded quotient, corrected by the exact comparison that defines the scale.
std::uint16_t scale_of(double high, double low, int steps) {
  const auto rounds_above = [&](int code) {
    const double point = low + steps * ((half_value(code) + half_value(code + 1)) / 2);
    return high > point || (high == point && code % 2 != 0);
  };
  const double quotient = std::clamp((high - low) / steps, 0.0, half_value(kHalfMax));
  int code = double_to_half(quotient);
  while (code > 0 && !rounds_above(code - 1)) --code;
  while (code < kHalfMax && rounds_above(code)) ++code;
  return static_cast<std::uint16_t>(code);
}

/// Thresholds of group_steps_ref: at[k] is the least float that rounds above k.
struct Steps {
  Steps(double minimum, double scale, int max_steps) {
    constexpr float kNever = std::numeric_limits<float>::infinity();
    for (int k = 0; k < kMaxSteps; ++k) at[k] = kNever;
    for (int k = 0; k < max_steps && scale != 0; ++k) {
      const double half_way = minimum + (k + 0.5) * scale;
      const auto nearest = static_cast<float>(half_way);
      const bool reached = nearest > half_way || (nearest == half_way && k % 2 != 0);
      at[k] = reached ? nearest : std::nextafter(nearest, kNever);
    }
  }
  float at[kMaxSteps];
};

/// q: the values of one group as four bits each.
template <int max_steps>
void count_steps(const Steps& steps, const float* x, std::size_t count, std::uint8_t* q) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = max_steps == 7 ? std::fabs(x[i]) : x[i];
    int reached = 0;
    for (int k = 0; k < max_steps; ++k) reached += value >= steps.at[k] ? 1 : 0;
    if (max_steps == 7) reached = x[i] < 0 ? -reached : reached;
    q[i] = static_cast<std::uint8_t>(reached & 15);
  }
}

}  // namespace

void quantize_int4_row(const Int4Layout& layout, const float* x, std::uint8_t* row,
                       std::uint16_t* scales, std::uint16_t* minima) {
  constexpr std::size_t kChunk = 64;
  std::uint8_t q[kChunk];
  for (std::size_t g = 0; g < layout.groups(); ++g) {
    const float* const group = x + g * layout.group;
    float low = group[0], high = group[0];
    for (std::size_t i = 1; i < layout.group; ++i) {
      low = std::min(low, group[i]);
      high = std::max(high, group[i]);
    }
    double minimum = 0;
    if (layout.has_minima()) {
      const double limit = half_value(kHalfMax);
      minima[g] = double_to_half(std::clamp<double>(low, -limit, limit));
      minimum = half_to_double(minima[g]);
      scales[g] = scale_of(high, minimum, kMaxSteps);
    } else {
      scales[g] = scale_of(std::max(high, -low), 0, 7);
    }
    const Steps steps(minimum, half_to_double(scales[g]), layout.has_minima() ? kMaxSteps : 7);
    for (std::size_t begin = 0; begin < layout.group; begin += kChunk) {
      const std::size_t count = std::min(kChunk, layout.group - begin);
      if (layout.has_minima())
        count_steps<kMaxSteps>(steps, group + begin, count, q);
      else
        count_steps<7>(steps, group + begin, count, q);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t index = g * layout.group + begin + i;
        const int bits = index % 2 == 0 ? q[i] : row[index / 2] | q[i] << 4;
        row[index / 2] = static_cast<std::uint8_t>(bits);
      }
    }
  }
}

void dequantize_int4_row(const Int4Layout& layout, const std::uint8_t* row,
                         const Int4Scales& scales, float* x) {
  for (std::size_t g = 0; g < layout.groups(); ++g) {
    const double scale = half_to_double(scales.scales[g]);
    const double minimum = layout.has_minima() ? half_to_double(scales.minima[g]) : 0;
    for (std::size_t i = g * layout.group; i < (g + 1) * layout.group; ++i)
      x[i] = static_cast<float>(minimum + int4_value(layout.mode, row, i) * scale);
  }
}

}  // namespace axelram
