#include <algorithm>
#include <cmath>

#include "axelram/codebook.hpp"
#include "axelram/hadamard.hpp"
#include "axelram/macro.hpp"
#include "axelram/norm.hpp"
#include "axelram/residual.hpp"
#include "axelram/rounding.hpp"
#include "verify/macro/rotated_key.hpp"
#include "verify/macro/stimulus.hpp"

// Stimuli of records of two parts.

namespace axelram::sim {

/// A key whose largest residual rounds up to 2^(W'-1), one beyond the largest rho_i. As of spike(),
/// y_0 is the sum of all magnitudes and no other |y_i - R| is as large. All magnitudes but two are
/// equal, or a few are 0; a search finds them. With a center the key is a spike alone.
Vector Stimulus::rounded_up_residual() const {
  const Parameters& p = config_.parameters;
  Vector vector = spike();
  if (p.centered) return vector;
  const CodebookRom rom = codebook_rom(p);
  const int fraction = p.format_fraction_bits();
  const std::int64_t values = std::int64_t{1} << fraction,
                     step = std::max<std::int64_t>(1, values / 128);
  const std::int64_t unit = std::int64_t{1} << (p.significand_bits - 2 - fraction);
  const std::int64_t limit = (std::int64_t{1} << (p.aligned_bits() - 1)) - 1;
  const auto found = [&](std::int64_t equal, std::int64_t x, std::int64_t v, std::int64_t w) {
    const std::int64_t square = equal * x * x + v * v + w * w;
    const auto root =
        static_cast<std::int64_t>(root_ref(static_cast<std::uint64_t>(square * unit * unit)));
    const std::int64_t level =
        shift_right_rne(rom.reconstructions.back() * root, p.boundary_fraction_bits);
    const std::int64_t difference = (equal * x + v + w) * unit - level;
    const int shift = bit_length(static_cast<std::uint64_t>(difference)) - (p.aligned_bits() - 1);
    return shift > 0 && shift_right_rne(difference, shift) > limit;
  };
  const auto place = [&](std::size_t i, std::int64_t significand) {
    const double value = std::ldexp(static_cast<double>(significand), -fraction);
    vector[i] = static_cast<std::uint16_t>((vector[i] & 0x8000U) | encode(value));
  };
  for (std::int64_t zeros = 0; zeros < 8; ++zeros)
    for (std::int64_t x = 2 * values - 1; x >= values; --x)
      for (std::int64_t v = 2 * values - 1; v >= values; --v)
        for (std::int64_t w = 2 * values - 1; w >= values; w -= step) {
          if (!found(p.head_dim - 2 - zeros, x, v, w)) continue;
          for (std::size_t i = 0; i < vector.size(); ++i)
            place(i, i == 0 ? v : i == 1 ? w : i < 2 + static_cast<std::size_t>(zeros) ? 0 : x);
          return vector;
        }
  return vector;
}

/// A key with some z_i = 0: of a few elements that are the smallest there are, with exponents once
/// they are balanced, so that residuals are small integers.
Vector Stimulus::zero_in_second_rotation() {
  const Parameters& p = config_.parameters;
  Macro macro(p, config_.head_rotation, config_.center, 1);
  std::vector<std::int32_t> rho(static_cast<std::size_t>(p.head_dim));
  // The least exponent of a key is that of the zeros with the least balance exponent.
  const std::vector<std::int8_t>& balance = config_.head_rotation.balance;
  const int least = balance.empty() ? 0 : *std::min_element(balance.begin(), balance.end());
  const std::uint64_t smallest = std::uint64_t{1} << std::max(-least, 0);
  Vector vector = filled(0);
  for (int trial = 0; trial < 4000 && !p.centered; ++trial) {
    vector = filled(0);
    for (std::uint64_t i = 0; i < 2 + below(12); ++i)
      vector[below(vector.size())] = static_cast<std::uint16_t>(smallest * (1 + below(3)));
    vector = key_of(std::move(vector));
    macro.clear();
    const KeyResult key = macro.write(vector.data());
    residual_ref(rotated_key(config_, vector.data(), nullptr)[0].data(), key.indices.data(),
                 p.head_dim, key.reconstructions.data(), p.levels(), p.aligned_bits(), rho.data());
    rotate_ref(config_.head_rotation.residual_signs.data(), rho.data(), p.head_dim);
    if (std::find(rho.begin(), rho.end(), 0) != rho.end()) return vector;
  }
  return vector;
}

/// A key of which sub-vector `part` is zero.
Vector Stimulus::without(int part) {
  Vector vector = gaussian(1);
  const std::size_t half = vector.size() / 2;
  for (std::size_t i = 0; i < half; ++i) vector[channel(part == 0 ? i : half + i)] = 0;
  return vector;
}

}  // namespace axelram::sim
