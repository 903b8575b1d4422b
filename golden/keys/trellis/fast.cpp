#include "axelram/fast_keys.hpp"
#include "simd/level_units.hpp"

namespace axelram {

std::uint32_t encode_trellis(const std::int32_t* y, int d, const std::int32_t* reconstructions,
                             int index_bits, std::uint32_t root, int states, std::uint8_t* indices,
                             SimdLevel level) {
  const LevelUnits& units = level_units(level, d % kLevelGroup == 0 && d <= 512);
  return units.encode_trellis(y, d, reconstructions, index_bits, root, states, indices);
}

void trellis_level(const std::uint8_t* indices, int d, int states, std::uint8_t* levels) {
  constexpr int kFront = 4, kMaxDim = 512;  // lowest bits in front of the first index: 0
  if (d > kMaxDim) return trellis_level_ref(indices, d, states, levels);
  std::uint8_t lowest[kFront + kMaxDim] = {};
  std::uint8_t* const x = lowest + kFront;
  for (int i = 0; i < d; ++i) x[i] = indices[i] & 1U;
  const int first = states == 4 ? 2 : 1, second = states == 8 ? 3 : 4;
  const int z0 = states == 4 ? 1 : 2;
  const auto taps = static_cast<std::uint8_t>(states == 4 ? 0 : 1);  // of z1 beyond the first
  for (int i = 0; i < d; ++i) {
    const unsigned z1 = x[i] ^ x[i - first] ^ (x[i - second] & taps);
    levels[i] = static_cast<std::uint8_t>((indices[i] >> 1) * 4U + 2 * z1 + x[i - z0]);
  }
}

}  // namespace axelram
