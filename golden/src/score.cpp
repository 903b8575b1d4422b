#include "axelram/score.hpp"

#include <cstring>

#include "axelram/half.hpp"
#include "axelram/rounding.hpp"

namespace axelram {

std::int64_t accumulate_ref(const std::int32_t* table, int d, int levels,
                            const std::uint8_t* indices) {
  std::int64_t sum = 0;
  for (int i = 0; i < d; ++i) sum += table[i * levels + indices[i]];
  return sum;
}

float score_ref(std::int64_t acc, std::uint16_t norm, int e_u, bool* saturated) {
  constexpr std::uint32_t kSign = 0x80000000;
  constexpr std::uint32_t kFltMax = 0x7F7FFFFF;
  constexpr std::uint64_t kMaxSignificand = 0xFFFFFF;  // FLT_MAX = (2^24 - 1) * 2^104
  constexpr int kMaxExponent = 104;

  const NormValue value = decode_norm(norm);
  const std::int64_t scaled = acc * value.significand;
  const auto magnitude = static_cast<std::uint64_t>(scaled < 0 ? -scaled : scaled);
  const int exponent = e_u + value.exponent;

  *saturated = exceeds(magnitude, exponent, kMaxSignificand, kMaxExponent);
  std::uint32_t bits =
      *saturated ? kFltMax : static_cast<std::uint32_t>(encode_rne(magnitude, exponent, 23, 127));
  if (scaled < 0) bits |= kSign;
  float score;
  std::memcpy(&score, &bits, sizeof score);
  return score;
}

}  // namespace axelram
