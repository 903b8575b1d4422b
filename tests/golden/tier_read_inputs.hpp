#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/kivi.hpp"
#include "golden/tier_oracle.hpp"

/// Coded blocks and queries, random and adversarial, for the tests of the units that read tiers.
namespace tier_read {

using tier_oracle::Half;
using tier_oracle::Rng;
using tier_oracle::Row;
using Bytes = std::vector<std::uint8_t>;
using Floats = std::vector<float>;

/// A block of any codes. Scales and minima: random; subnormal; the largest; opposite ones of which
/// one channel cancels the next; zero.
inline Bytes any_block(Rng& rng, const axelram::KiviLayout& layout) {
  Bytes block(layout.bytes());
  for (std::uint8_t& byte : block)
    byte = static_cast<std::uint8_t>(tier_oracle::uniform(rng, 0, 255));
  const int character = tier_oracle::uniform(rng, 0, 5);
  std::uint8_t* const scales = &block[layout.code_bytes()];
  const auto put = [&](std::size_t at, int half) {
    scales[2 * at] = static_cast<std::uint8_t>(half & 255);
    scales[2 * at + 1] = static_cast<std::uint8_t>(half >> 8);
  };
  const int most_scale = character == 2 ? 0x3FF : 0x7BFF;
  for (std::size_t g = 0; g < layout.groups; ++g) {
    int scale = tier_oracle::uniform(rng, 0, most_scale);
    int minimum = tier_oracle::uniform(rng, 0, most_scale);
    if (character == 3) scale = minimum = 0x7BFF;
    if (character == 4) scale = tier_oracle::uniform(rng, 0x3000, 0x3400), minimum = 0x7BFF;
    if (character == 5 && g % 2 == 0) scale = 0;
    put(g, scale);
    put(layout.groups + g, minimum | (character != 1 && g % 2 != 0 ? 0x8000 : 0));
  }
  return block;
}

inline Bytes any_blocks(Rng& rng, const axelram::KiviLayout& layout, std::size_t count) {
  Bytes blocks;
  for (std::size_t b = 0; b < count; ++b) {
    const Bytes block = any_block(rng, layout);
    blocks.insert(blocks.end(), block.begin(), block.end());
  }
  return blocks;
}

/// FP32 numbers of one of several characters: near 1; as large as FP16 ones, with full
/// significands; of all binades from 2^-100 to 2^16; equal ones; few that are not zero; tiny ones
/// that underflow
/// (`any`).
inline Floats queries(Rng& rng, std::size_t count, bool any) {
  const int character = tier_oracle::uniform(rng, 0, any ? 5 : 4);
  Floats all(count);
  for (float& q : all) {
    const float fraction =
        1 + static_cast<float>(tier_oracle::uniform(rng, 0, 0x7FFFFF)) * 0x1p-23F;
    int exponent = tier_oracle::uniform(rng, -3, 1);
    if (character == 1) exponent = 15;
    if (character == 2) exponent = tier_oracle::uniform(rng, -100, 15);
    if (character == 5) exponent = tier_oracle::uniform(rng, -149, -110);
    q = std::ldexp(tier_oracle::uniform(rng, 0, 1) != 0 ? fraction : -fraction, exponent);
    if (character == 3) q = 65504;
    if (character == 4 && tier_oracle::uniform(rng, 0, 9) != 0) q = 0;
  }
  return all;
}

}  // namespace tier_read
