#include "int4_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "axelram/half.hpp"

namespace axelram::caches {
namespace {

constexpr int kMaxSteps = 15;

double half_value(int code) { return half_to_double(static_cast<std::uint16_t>(code)); }

/// int4_scale_ref: a rounded quotient, put right by the exact comparison that defines it.
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

/// int4_steps_ref as a number of floats reached: at[k] is the least float that rounds above k.
struct Steps {
  Steps(double minimum, double scale, int most) {
    constexpr float kNever = std::numeric_limits<float>::infinity();
    for (int k = 0; k < kMaxSteps; ++k) at[k] = kNever;
    for (int k = 0; k < most && scale != 0; ++k) {
      const double half_way = minimum + (k + 0.5) * scale;
      const auto nearest = static_cast<float>(half_way);
      const bool reached = nearest > half_way || (nearest == half_way && k % 2 != 0);
      at[k] = reached ? nearest : std::nextafter(nearest, kNever);
    }
  }
  float at[kMaxSteps];
};

/// q of the values of one group, as its four bits.
template <int most>
void count_steps(const Steps& steps, const float* x, std::size_t count, std::uint8_t* q) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = most == 7 ? std::fabs(x[i]) : x[i];
    int reached = 0;
    for (int k = 0; k < most; ++k) reached += value >= steps.at[k] ? 1 : 0;
    if (most == 7) reached = x[i] < 0 ? -reached : reached;
    q[i] = static_cast<std::uint8_t>(reached & 15);
  }
}

int value_at(const Int4Layout& layout, const std::uint8_t* row, std::size_t i) {
  const int q = row[i / 2] >> (4 * (i % 2)) & 15;
  return layout.mode == Int4Mode::symmetric && q >= 8 ? q - 16 : q;
}

}  // namespace

void quantize_int4(const Int4Layout& layout, const float* x, std::uint8_t* row,
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
        const std::size_t place = g * layout.group + begin + i;
        const int bits = place % 2 == 0 ? q[i] : row[place / 2] | q[i] << 4;
        row[place / 2] = static_cast<std::uint8_t>(bits);
      }
    }
  }
}

void dequantize_int4(const Int4Layout& layout, const std::uint8_t* row, const Int4Scales& scales,
                     float* x) {
  for (std::size_t g = 0; g < layout.groups(); ++g) {
    const double scale = half_to_double(scales.scales[g]);
    const double minimum = layout.has_minima() ? half_to_double(scales.minima[g]) : 0;
    for (std::size_t i = g * layout.group; i < (g + 1) * layout.group; ++i)
      x[i] = static_cast<float>(minimum + value_at(layout, row, i) * scale);
  }
}

void repair_int4(const Int4Layout& layout, const Code& code, ErasurePolicy policy,
                 const DecodedRecord& before, const DecodedRecord& current,
                 const DecodedRecord& after, const Int4Scales& scales, std::uint8_t* repaired) {
  std::copy_n(current.record, layout.row_bytes(), repaired);
  if (policy == ErasurePolicy::keep) return;
  for (std::size_t i = 0; i < layout.d; ++i) {
    const auto erased = [&](const DecodedRecord& row) {
      return erased_ref(code, row.statuses, 4 * i, 4);
    };
    const auto usable = [&](const DecodedRecord& row) {
      return row.record != nullptr && !erased(row);
    };
    const auto value = [&](const DecodedRecord& row) { return value_at(layout, row.record, i); };
    if (!erased(current)) continue;
    int q = value(current);
    if (policy == ErasurePolicy::zero) {
      const std::size_t g = i / layout.group;
      q = layout.has_minima() ? int4_steps_ref(0, half_to_double(scales.minima[g]),
                                               half_to_double(scales.scales[g]), kMaxSteps)
                              : 0;
    } else if (usable(before) && usable(after)) {
      q = mean_ref(value(before), value(after));
    } else if (usable(before) || usable(after)) {
      q = value(usable(before) ? before : after);
    }
    const int shift = static_cast<int>(4 * (i % 2));
    repaired[i / 2] =
        static_cast<std::uint8_t>((repaired[i / 2] & ~(15 << shift)) | (q & 15) << shift);
  }
}

}  // namespace axelram::caches
