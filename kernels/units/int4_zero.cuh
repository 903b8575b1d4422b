#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// Twin of golden's group_steps_ref(0, minimum, scale, 15): the q whose value is nearest to 0.
AXELRAM_HD std::uint32_t int4_zero(double minimum, double scale) {
  if (scale == 0) return 0;
  std::uint32_t q = 0;
  AXELRAM_ROLLED
  for (std::uint32_t k = 0; k < 15; ++k) {
    const double half_way = minimum + (k + 0.5) * scale;  // exact
    if (0 > half_way || (0 == half_way && k % 2 != 0)) q = k + 1;
  }
  return q;
}

/// Replacement of an erased INT4 value if the policy is zero: a value of token `token`, channel
/// `channel` of d. Groups as in golden's Int4Rows.
struct Int4Zeros {
  bool asymmetric, by_channel;
  std::uint64_t group;  ///< values that share a scale
  const std::uint16_t *scales, *minima;

  AXELRAM_DEVICE std::uint32_t value(std::uint64_t token, int channel, int d) const {
    if (!asymmetric) return 0;
    const auto column = static_cast<std::uint64_t>(channel), width = static_cast<std::uint64_t>(d);
    const std::uint64_t at =
        by_channel ? token / group * width + column : token * (width / group) + column / group;
    return int4_zero(float_of_half(load(minima + at)), float_of_half(load(scales + at)));
  }
};

}  // namespace axelram::kernels
