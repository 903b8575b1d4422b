#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "axelram/parameters.hpp"
#include "axelram/simd.hpp"

/// Inputs shared by the tests that hold the fast units equal to the *_ref units.

namespace fast_test {

/// Every level that this CPU can run.
inline std::vector<axelram::SimdLevel> levels() {
  std::vector<axelram::SimdLevel> all;
  for (const auto level :
       {axelram::SimdLevel::portable, axelram::SimdLevel::avx2, axelram::SimdLevel::avx512})
    if (level <= axelram::best_simd_level()) all.push_back(level);
  return all;
}

using Random = std::mt19937_64;

inline int between(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

inline std::uint16_t infinity(axelram::ElementFormat format) {
  return format == axelram::ElementFormat::fp16 ? 0x7C00 : 0x7F80;
}

/// Kinds of vectors: what a kind stresses is in its name.
enum class Kind {
  any_finite,
  gaussian_like,
  zero,
  negative_zero,
  subnormal,
  largest,
  one_hot,
  mixed_extremes,
  close_exponents,
  count
};

inline std::uint16_t element(Random& random, Kind kind, axelram::ElementFormat format, int i,
                             int hot) {
  const int fraction_bits = format == axelram::ElementFormat::fp16 ? 10 : 7;
  const int bias = format == axelram::ElementFormat::fp16 ? 15 : 127;
  const int sign = between(random, 0, 1) << 15;
  const int max = infinity(format) - 1;
  const int fraction = between(random, 0, (1 << fraction_bits) - 1);
  int magnitude = 0;
  switch (kind) {
    case Kind::any_finite:
      magnitude = between(random, 0, max);
      break;
    case Kind::gaussian_like:
      magnitude = (between(random, bias - 6, bias + 1) << fraction_bits) | fraction;
      break;
    case Kind::zero:
      return 0;
    case Kind::negative_zero:
      return 0x8000;
    case Kind::subnormal:
      magnitude = fraction;
      break;
    case Kind::largest:
      magnitude = max;
      break;
    case Kind::one_hot:
      magnitude = i == hot ? max - between(random, 0, 3) : 0;
      break;
    case Kind::mixed_extremes:
      magnitude = between(random, 0, 1) != 0 ? max - between(random, 0, 1) : between(random, 0, 3);
      break;
    default:  // ties of the alignment: exponents a few steps apart, few significant bits
      magnitude = (between(random, bias - 18, bias) << fraction_bits) | (fraction & ~31);
  }
  return static_cast<std::uint16_t>(sign | magnitude);
}

inline std::vector<std::uint16_t> vector(Random& random, Kind kind, axelram::ElementFormat format,
                                         int d) {
  const int hot = between(random, 0, d - 1);
  std::vector<std::uint16_t> x;
  for (int i = 0; i < d; ++i) x.push_back(element(random, kind, format, i, hot));
  return x;
}

inline std::vector<std::int8_t> signs(Random& random, int d) {
  std::vector<std::int8_t> values;
  for (int i = 0; i < d; ++i) values.push_back(between(random, 0, 1) != 0 ? 1 : -1);
  return values;
}

inline std::vector<std::int32_t> words(Random& random, int d, int limit) {
  std::vector<std::int32_t> values;
  for (int i = 0; i < d; ++i) values.push_back(between(random, -limit, limit));
  return values;
}

}  // namespace fast_test
