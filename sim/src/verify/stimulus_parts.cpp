#include <algorithm>
#include <cmath>

#include "axelram/codebook.hpp"
#include "axelram/norm.hpp"
#include "axelram/rounding.hpp"
#include "stimulus.hpp"

// Stimuli of records of two parts.

namespace axelram::sim {

/// A key whose largest residual rounds up to 2^(W'-1), one beyond the largest rho_i. As of spike(),
/// y_0 is the sum of all magnitudes and no other |y_i - R| is as large. All magnitudes but two are
/// equal; a search finds the three. With a center the key is a spike alone.
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
  const auto magnitude = [&](std::int64_t mantissa) { return (values + mantissa) * unit; };
  const auto place = [&](std::size_t i, std::int64_t mantissa) {
    const double value = std::ldexp(static_cast<double>(values + mantissa), -fraction);
    vector[i] = static_cast<std::uint16_t>((vector[i] & 0x8000U) | encode(value));
  };
  for (std::int64_t x = values - 1; x >= 0; --x)
    for (std::int64_t v = values - 1; v >= 0; --v)
      for (std::int64_t w = values - 1; w >= 0; w -= step) {
        const std::int64_t a = magnitude(x), b = magnitude(v), c = magnitude(w);
        const std::int64_t others = p.head_dim - 2;
        const auto root = static_cast<std::int64_t>(
            root_ref(static_cast<std::uint64_t>(others * a * a + b * b + c * c)));
        const std::int64_t difference =
            others * a + b + c -
            shift_right_rne(rom.reconstructions.back() * root, p.boundary_fraction_bits);
        const int shift =
            bit_length(static_cast<std::uint64_t>(difference)) - (p.aligned_bits() - 1);
        if (shift <= 0 || shift_right_rne(difference, shift) <= limit) continue;
        for (std::size_t i = 0; i < vector.size(); ++i) place(i, i == 0 ? v : i == 1 ? w : x);
        return vector;
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
