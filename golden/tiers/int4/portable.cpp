#include <algorithm>
#include <cmath>

#include "axelram/fast_int4.hpp"
#include "axelram/half.hpp"
#include "group_steps.hpp"

namespace axelram {
namespace {

constexpr int kMaxSteps = GroupSteps::kMost;

/// q: the values of one group as four bits each.
template <int max_steps>
void count_steps(const GroupSteps& steps, const float* x, std::size_t count, std::uint8_t* q) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = max_steps == 7 ? std::fabs(x[i]) : x[i];
    int reached = steps.count<max_steps>(value);
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
      minima[g] = saturated_half(low);
      minimum = half_to_double(minima[g]);
      scales[g] = group_scale(high, minimum, kMaxSteps);
    } else {
      scales[g] = group_scale(std::max(high, -low), 0, 7);
    }
    const GroupSteps steps(minimum, half_to_double(scales[g]), layout.has_minima() ? kMaxSteps : 7);
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
