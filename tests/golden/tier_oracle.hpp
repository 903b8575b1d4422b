#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "golden/oracle.hpp"

/// FP16 as integers, multiples of 2^-24, and quotients of integers: the arithmetic that the units
/// of the tiered cache are held against.
namespace tier_oracle {

using oracle::Int128;
using oracle::Rng;
using oracle::uniform;
using Half = std::uint16_t;
using Row = std::vector<Half>;

constexpr Half kMost = 0x7BFF;

/// Multiples of 2^-24; finite.
inline std::int64_t units(Half bits) {
  const int field = bits >> 10 & 31;
  const std::int64_t fraction = bits & 1023;
  const std::int64_t magnitude = field == 0 ? fraction : (1024 + fraction) << (field - 1);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// RNE(numerator / denominator), denominator > 0.
inline Int128 rounded(Int128 numerator, Int128 denominator) {
  Int128 floor = numerator / denominator;
  if (floor * denominator > numerator) --floor;
  const Int128 twice = 2 * (numerator - floor * denominator);
  return floor + (twice > denominator || (twice == denominator && floor % 2 != 0) ? 1 : 0);
}

/// FP16 RNE of numerator / denominator multiples of 2^-24, saturated; zero is +0. denominator > 0.
inline Half nearest(Int128 numerator, Int128 denominator) {
  const Int128 magnitude = numerator < 0 ? -numerator : numerator;
  int low = 0, high = kMost;  // the code of the largest value that is not above
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (units(static_cast<Half>(middle)) * denominator <= magnitude)
      low = middle;
    else
      high = middle - 1;
  }
  if (low < kMost) {
    const Int128 both = units(static_cast<Half>(low)) + units(static_cast<Half>(low + 1));
    const Int128 half_way = both * denominator;
    if (2 * magnitude > half_way || (2 * magnitude == half_way && low % 2 != 0)) ++low;
  }
  return static_cast<Half>(numerator < 0 && low != 0 ? low | 0x8000 : low);
}

inline int clamped(Int128 q, int most) {
  return static_cast<int>(std::max<Int128>(0, std::min<Int128>(most, q)));
}

/// A group by the contract's formulas.
struct Group {
  Half scale = 0, minimum = 0;
  std::vector<int> codes;
};

inline Group group(const Row& x, int most) {
  std::int64_t low = units(x[0]), high = low;
  for (const Half element : x) {
    low = std::min(low, units(element));
    high = std::max(high, units(element));
  }
  Group of{nearest(high - low, most), nearest(low, 1), {}};
  const std::int64_t scale = units(of.scale);
  for (const Half element : x)
    of.codes.push_back(scale == 0 ? 0 : clamped(rounded(units(element) - low, scale), most));
  return of;
}

/// FP32 RNE of a multiple of 2^-24: the processor's conversion of an integer.
inline float decoded(std::int64_t value) { return static_cast<float>(value) * 0x1p-24F; }

/// A group of one of many characters, `most` + 1 codes in mind.
inline Row adversarial_group(Rng& rng, std::size_t size, int most) {
  const int character = uniform(rng, 0, 9);
  if (character < 4)
    return oracle::vector(rng, static_cast<int>(size), axelram::ElementFormat::fp16);
  Row x(size);
  const Half base = static_cast<Half>(uniform(rng, 0, kMost) | uniform(rng, 0, 1) << 15);
  if (character == 4) {  // constant
    std::fill(x.begin(), x.end(), base);
  } else if (character == 5) {  // two neighbours, or one that differs
    const Half other =
        (base & kMost) == kMost ? static_cast<Half>(base - 1) : static_cast<Half>(base + 1);
    for (Half& element : x) element = uniform(rng, 0, 3) == 0 ? other : base;
  } else if (character == 6) {  // zeros of both signs and the largest values
    const Half values[] = {0, 0x8000, kMost, 0xFBFF, 1, 0x8001};
    for (Half& element : x) element = values[uniform(rng, 0, 5)];
  } else if (character == 7) {  // ranges about the steps, on the grid of subnormals
    for (Half& element : x) element = static_cast<Half>(uniform(rng, 0, 2 * most));
  } else {  // every half step of an exact scale
    const int exponent = uniform(rng, 1, 24);
    const std::int64_t half_step = std::int64_t{uniform(rng, 1, 7)} << exponent;
    const std::int64_t low = half_step * uniform(rng, -2 * most, 0);
    for (Half& element : x) element = nearest(low + half_step * uniform(rng, 0, 2 * most), 1);
    x[0] = nearest(low, 1);
    x[1] = nearest(low + half_step * 2 * most, 1);
    if (character == 9)  // next to the ties
      for (std::size_t i = 2; i < size; ++i)
        if ((x[i] & kMost) != 0) x[i] = static_cast<Half>(x[i] + uniform(rng, -1, 1));
  }
  return x;
}

/// 2^bits ascending finite FP16 numbers: of magnitude up to 1, or any.
inline Row random_centroids(Rng& rng, int bits) {
  std::set<std::int64_t> chosen;
  const int most = uniform(rng, 0, 3) == 0 ? 0x7BFF : 0x3C00;
  while (chosen.size() < std::size_t{1} << bits) {
    const auto half = static_cast<Half>(uniform(rng, 0, most));
    chosen.insert(units(half) * (uniform(rng, 0, 1) == 0 ? 1 : -1));
  }
  Row centroids;
  for (const std::int64_t value : chosen) centroids.push_back(nearest(value, 1));
  return centroids;
}

}  // namespace tier_oracle
