#pragma once

#include <cmath>
#include <cstdint>

#include "device/platform.cuh"

/// Choices of the encoder with feedback (bit-contract.md#feedback), in floats of IEEE without
/// contraction.
namespace axelram::kernels {

constexpr float kNoLevel = __builtin_inff();  ///< no target is nearer to it than to another

/// levels: the first `count` of unit variance times N, the rest kNoLevel.
template <int kMost>
AXELRAM_HD void scale_levels(const float* unit, int first, int step, int count, std::uint32_t root,
                             float (&levels)[kMost]) {
  AXELRAM_UNROLL
  for (int m = 0; m < kMost; ++m)
    levels[m] = m < count ? unit[first + m * step] * static_cast<float>(root) : kNoLevel;
}

/// bounds: halfway between two levels.
template <int kLevels>
AXELRAM_HD void bounds_of(const float (&levels)[kLevels], float (&bounds)[kLevels - 1]) {
  AXELRAM_UNROLL
  for (int j = 0; j + 1 < kLevels; ++j) bounds[j] = (levels[j] + levels[j + 1]) * 0.5F;
}

struct FedLevel {
  std::uint32_t index;
  float level;
};

/// The level next to a target; the lower one if two are.
template <int kLevels>
AXELRAM_HD FedLevel next_to(float target, const float (&levels)[kLevels],
                            const float (&bounds)[kLevels - 1]) {
  FedLevel chosen{0, levels[0]};
  AXELRAM_UNROLL
  for (int j = 0; j + 1 < kLevels; ++j) {
    const bool beyond = target > bounds[j];
    chosen.index += beyond ? 1U : 0U;
    chosen.level = beyond ? levels[j + 1] : chosen.level;
  }
  return chosen;
}

/// A path of a trellis with one more element: `mu` is the number of its level in the subset.
struct FedBranch {
  float cost, level;
  std::uint32_t mu;
};

/// levels: of the subset, ascending.
template <int kInSubset>
AXELRAM_HD FedBranch fed_branch(float cost, float target, float weight,
                                const float (&levels)[kInSubset]) {
  FedBranch branch{0, levels[0], 0};
  float least = std::fabs(target - levels[0]);
  AXELRAM_UNROLL
  for (int m = 1; m < kInSubset; ++m) {
    const float distance = std::fabs(target - levels[m]);
    const bool nearer = distance < least;
    least = nearer ? distance : least;
    branch.level = nearer ? levels[m] : branch.level;
    branch.mu = nearer ? static_cast<std::uint32_t>(m) : branch.mu;
  }
  branch.cost = cost + weight * (least * least);
  return branch;
}

/// Sums over the elements of a key and its levels, of a full second moment.
struct FedSums {
  double yy = 0, yx = 0, ymy = 0, ymx = 0;

  /// An element and its level; weight and rows gy, gx of G y and G x that belong to them.
  AXELRAM_HD void add(double element, double level, double weight, double gy, double gx) {
    yy += element * element;
    yx += element * level;
    ymy += weight * gy * gy;
    ymx += weight * gy * gx;
  }
  /// The factor of a norm.
  AXELRAM_HD double factor() const {
    if (yy == 0 || yx <= 0) return 1;
    if (ymx <= 0) return 2;
    const double quotient = ymy / ymx * yx / yy;
    return quotient < 0.5 ? 0.5 : quotient > 2 ? 2.0 : quotient;
  }
};

/// FP16 of factor * square_sum / correlation * 2^exponent, at most 65504. correlation > 0.
AXELRAM_HD std::uint16_t weighted_norm(double factor, std::uint64_t square_sum,
                                       std::int64_t correlation, int exponent, bool* saturated) {
  constexpr double kLargest = 65504;
  const double norm = factor * static_cast<double>(square_sum) / static_cast<double>(correlation) *
                      double_power_of_two(exponent);
  *saturated = norm > kLargest;
  return half_of_double(norm > kLargest ? kLargest : norm);
}

}  // namespace axelram::kernels
