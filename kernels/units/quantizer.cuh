#pragma once

#include <cmath>
#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// T_j = floor(B_j * N / 2^F).
AXELRAM_HD std::int32_t threshold(std::int32_t boundary, std::uint32_t root, int fraction_bits) {
  return static_cast<std::int32_t>(boundary * static_cast<std::int64_t>(root) >> fraction_bits);
}

/// Codebooks are antisymmetric: B_j = -B_(2^b - 2 - j), the middle one 0. So an index follows from
/// the sign of y and from how many of the 2^(b-1) - 1 positive a_j = B_j N / 2^F the magnitude of y
/// exceeds: index = 2^(b-1) + count if y > 0, otherwise 2^(b-1) - 1 - count. A tie takes the
/// lower index: y > 0 must exceed a_j, y <= 0 must reach it. Both are |z| > A_j for z = y - 1/4
/// and A_j = a_j if it is an integer, otherwise floor(a_j) + 1/2. In FP32 all of this is exact
/// for |y| < 2^22; beyond, z may be rounded, once, but stays beyond every A_j < 2^22.

constexpr float kQuarter = 0.25F;

/// A_j < 2^22.
AXELRAM_HD float magnitude_threshold(std::int32_t boundary, std::uint32_t root, int fraction_bits) {
  const std::int64_t product = boundary * static_cast<std::int64_t>(root);
  const auto fraction = static_cast<std::uint32_t>(product) << (32 - fraction_bits);
  const auto floor = static_cast<float>(static_cast<std::int32_t>(product >> fraction_bits));
  return fraction != 0 ? floor + 0.5F : floor;
}

/// Index - (2^b - 1) / 2, of the sign of z: +-(count + 1/2). a: the A_j, ascending. A binary search
/// of b - 1 compares.
template <int kBits>
AXELRAM_HD float centered_index(float z, const float (&a)[(1 << (kBits - 1)) - 1]) {
  const float size = std::fabs(z);
  float count = 0.5F;
  if constexpr (kBits == 2) {
    count = size > a[0] ? 1.5F : count;
  } else if constexpr (kBits == 3) {
    const bool upper = size > a[1];
    const float last = upper ? a[2] : a[0];
    count = upper ? 2.5F : count;
    if (size > last) count += 1.0F;
  } else {
    const bool upper = size > a[3];
    const float middle = upper ? a[5] : a[1];
    const float below = upper ? a[4] : a[0];
    const float above = upper ? a[6] : a[2];
    count = upper ? 4.5F : count;
    const bool second = size > middle;
    if (second) count += 2.0F;
    if (size > (second ? above : below)) count += 1.0F;
  }
  return float_of_bits(bits_of_float(count) | (bits_of_float(z) & 0x80000000U));
}

/// The count of a centered_index, times four: where its 32-bit word lies in a table. A product that
/// is subnormal has its number of smallest floats in its bits.
AXELRAM_HD std::uint32_t word_of_index(float centered) {
  return bits_of_float(std::fabs(centered) * 0x1p-147F) - 2;
}

/// y * C of an element z = y - 1/4, |y| < 2^23 (bit-contract.md#scale): |y| times `centroid`, the
/// positive word of its count, as codebooks are antisymmetric and y has the sign of its centroid.
/// Added to 2^23, z or |y| itself, to which it may be rounded beyond 2^22, becomes the nearest
/// integer, |y|. z is a multiple of `unit`, a power of two.
AXELRAM_HD std::uint64_t correlation_term(float z, std::int32_t centroid, float unit) {
  const std::uint32_t size =
      bits_of_float(multiply_add(std::fabs(z), 1 / unit, 0x1p23F)) & 0x7FFFFFU;
  return std::uint64_t{size} * static_cast<std::uint32_t>(centroid);
}

}  // namespace axelram::kernels
