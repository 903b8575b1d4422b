#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "axelram/group_scale.hpp"
#include "axelram/half.hpp"
#include "axelram/int4.hpp"

namespace axelram {
namespace {

/// Values per group along its axis.
int group_size(const Int4Rows& rows) {
  const bool token = rows.format.groups == Int4Groups::token;
  return rows.format.group != 0 ? rows.format.group
         : token                ? rows.d
                                : static_cast<int>(rows.tokens);
}

void check_shape(const Int4Rows& rows) {
  if (rows.d <= 0 || rows.d % 2 != 0)
    throw std::invalid_argument("an INT4 row has an even number of values, not " +
                                std::to_string(rows.d));
  const bool token = rows.format.groups == Int4Groups::token;
  const std::size_t extent = token ? static_cast<std::size_t>(rows.d) : rows.tokens;
  const int group = rows.format.group;
  if (group < 0 || (group > 0 && extent % static_cast<std::size_t>(group) != 0))
    throw std::invalid_argument("an INT4 group of " + std::to_string(group) +
                                " does not divide the " + std::to_string(extent) +
                                (token ? " values of a row" : " tokens of a channel"));
}

struct Range {
  double low = 0, high = 0;
  bool empty = true;
  void add(double x) {
    low = empty ? x : std::min(low, x);
    high = empty ? x : std::max(high, x);
    empty = false;
  }
};

void choose_scales(const float* x, Int4Rows* rows) {
  const auto d = static_cast<std::size_t>(rows->d);
  const std::size_t groups =
      rows->tokens == 0 ? 0 : rows->tokens * d / static_cast<std::size_t>(group_size(*rows));
  std::vector<Range> ranges(groups);
  for (std::size_t i = 0; i < rows->tokens * d; ++i) {
    if (!std::isfinite(x[i]))
      throw std::invalid_argument("a value to be quantized to INT4 is not finite");
    ranges[rows->group_of(i / d, static_cast<int>(i % d))].add(x[i]);
  }
  for (const Range& range : ranges)
    if (rows->format.mode == Int4Mode::symmetric) {
      rows->scales.push_back(group_scale_ref(std::max(range.high, -range.low), 0, 7));
    } else {
      rows->minima.push_back(saturated_half(range.low));
      rows->scales.push_back(group_scale_ref(range.high, half_to_double(rows->minima.back()), 15));
    }
}

}  // namespace

std::size_t Int4Rows::group_of(std::size_t token, int channel) const {
  const auto size = static_cast<std::size_t>(group_size(*this));
  const auto column = static_cast<std::size_t>(channel), width = static_cast<std::size_t>(d);
  return format.groups == Int4Groups::token ? token * (width / size) + column / size
                                            : token / size * width + column;
}

int Int4Rows::value(std::size_t token, int channel) const {
  const auto i = static_cast<std::size_t>(channel);
  const int q = rows[token * row_bytes() + i / 2] >> (4 * (i % 2)) & 15;
  return format.mode == Int4Mode::symmetric && q >= 8 ? q - 16 : q;
}

void Int4Rows::set_value(std::size_t token, int channel, int q) {
  const auto i = static_cast<std::size_t>(channel);
  std::uint8_t& byte = rows[token * row_bytes() + i / 2];
  const int shift = static_cast<int>(4 * (i % 2));
  byte = static_cast<std::uint8_t>((byte & ~(15 << shift)) | (q & 15) << shift);
}

Int4Rows quantize_int4_ref(const float* x, std::size_t tokens, int d, const Int4Format& format) {
  Int4Rows rows{format, tokens, d, {}, {}, {}};
  check_shape(rows);
  choose_scales(x, &rows);
  rows.rows.resize(tokens * rows.row_bytes());
  for (std::size_t token = 0; token < tokens; ++token)
    for (int channel = 0; channel < d; ++channel) {
      const double value =
          x[token * static_cast<std::size_t>(d) + static_cast<std::size_t>(channel)];
      const std::size_t group = rows.group_of(token, channel);
      const double scale = half_to_double(rows.scales[group]);
      if (format.mode == Int4Mode::symmetric) {
        const int magnitude = group_steps_ref(std::abs(value), 0, scale, 7);
        rows.set_value(token, channel, value < 0 ? -magnitude : magnitude);
      } else {
        rows.set_value(token, channel,
                       group_steps_ref(value, half_to_double(rows.minima[group]), scale, 15));
      }
    }
  return rows;
}

void dequantize_int4_ref(const Int4Rows& rows, float* x) {
  for (std::size_t token = 0; token < rows.tokens; ++token)
    for (int channel = 0; channel < rows.d; ++channel) {
      const std::size_t group = rows.group_of(token, channel);
      const double minimum = rows.minima.empty() ? 0 : half_to_double(rows.minima[group]);
      // 45 bits at most: the double is exact, and the one rounding is the one to float.
      const double exact =
          minimum + rows.value(token, channel) * half_to_double(rows.scales[group]);
      *x++ = static_cast<float>(exact);
    }
}

}  // namespace axelram
