#pragma once

#include <cstddef>
#include <cstdint>

#include "scores/score/arguments.hpp"
#include "simd/level_units.hpp"

/// The rounding of scores, compiled once per level (hence no external linkage) in loops plain
/// enough for the compiler to vectorise.

namespace axelram {
namespace {

/// 2^exponent; normal range only.
inline float power_of_two(int exponent) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(exponent + 127) << 23);
}
inline double double_power_of_two(int exponent) {
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
}

struct NormWord {
  std::int32_t sigma;
  std::int32_t exponent;
};

inline NormWord norm_word(std::uint16_t norm) {
  const std::int32_t field = (norm >> 10) & 31;
  const std::int32_t fraction = norm & 1023;
  return {field == 0 ? fraction : fraction | 1024, (field == 0 ? 1 : field) - 25};
}

/// acc and sigma * 2^(exponent + epsilon) are exact in binary32, so their one product is the one
/// rounding of the contract. The sum turns the -0 of (negative acc) * (zero norm) into +0; at these
/// exponents no nonzero product underflows to zero.
inline void round_scores_direct(const std::int32_t* acc, const ScoreRounding& rounding) {
  const std::uint16_t* norms = rounding.norms;
  float* scores = rounding.scores;
  const float unit = power_of_two(rounding.exponent);
  for (std::size_t k = 0; k < rounding.count; ++k) {
    const NormWord norm = norm_word(norms[k]);
    const float weight = static_cast<float>(norm.sigma) * power_of_two(norm.exponent) * unit;
    scores[k] = static_cast<float>(acc[k]) * weight + 0.0f;
  }
}

/// acc * sigma (50 bits) is exact in binary64 and stays so under powers of two; the conversion to
/// binary32 is the one rounding. The sum makes an exact zero +0 before the sign of an underflow
/// can arise.
inline std::size_t round_scores_any(const std::int64_t* acc, const ScoreRounding& rounding) {
  constexpr double kFltMax = 0x1.fffffep127;
  const double unit = double_power_of_two(rounding.exponent);
  std::size_t saturated = 0;
  for (std::size_t k = 0; k < rounding.count; ++k) {
    const NormWord norm = norm_word(rounding.norms[k]);
    const double product = static_cast<double>(acc[k]) * static_cast<double>(norm.sigma) + 0.0;
    const double exact = product * double_power_of_two(norm.exponent) * unit;
    const bool above = exact > kFltMax;
    const bool below = exact < -kFltMax;
    saturated += above || below ? 1 : 0;
    const double clamped = above ? kFltMax : below ? -kFltMax : exact;
    rounding.scores[k] = static_cast<float>(clamped);
  }
  return saturated;
}

/// Value of a norm times a unit, exact in binary64.
inline double weight_of(std::uint32_t norm, double unit) {
  const NormWord word = norm_word(static_cast<std::uint16_t>(norm & 0xFFFF));
  return static_cast<double>(word.sigma) * double_power_of_two(word.exponent) * unit;
}

/// Both terms are exact in binary64. Their sum is rounded to odd there: of the two neighbours of a
/// sum that is not exact, to the one whose last bit is 1. From there the rounding to binary32 is
/// that of the exact sum.
inline void round_score_sums(const SumRounding& rounding) {
  std::uint32_t norms[256];
  const std::uint8_t* from = rounding.norms;
  for (std::size_t k = 0; k < rounding.count; ++k, from += rounding.stride)
    norms[k] = std::uint32_t{from[0]} | std::uint32_t{from[1]} << 8 | std::uint32_t{from[2]} << 16 |
               std::uint32_t{from[3]} << 24;
  const SumTerm &first = rounding.first, &second = rounding.second;
  const double first_unit = first.factor * double_power_of_two(first.exponent);
  const double second_unit = second.factor * double_power_of_two(second.exponent);
  for (std::size_t k = 0; k < rounding.count; ++k) {
    const double a = first.acc[k] * weight_of(norms[k], first_unit) + 0.0;  // -0 becomes +0
    const double b = second.acc[k] * weight_of(norms[k] >> 16, second_unit);
    const double sum = a + b;
    const double of_b = sum - a;
    const double error = (a - (sum - of_b)) + (b - of_b);  // exact (Knuth)
    const auto bits = __builtin_bit_cast(std::int64_t, sum);
    const std::int64_t outwards = (error > 0) == (sum > 0) ? 1 : -1;
    const std::int64_t step = error != 0 && (bits & 1) == 0 ? outwards : 0;
    rounding.scores[k] = static_cast<float>(__builtin_bit_cast(double, bits + step));
  }
}

}  // namespace
}  // namespace axelram
