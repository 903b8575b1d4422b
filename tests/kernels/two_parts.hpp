#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/half.hpp"
#include "axelram/head_rotation.hpp"
#include "axelram/parameters.hpp"
#include "axelram/record.hpp"
#include "axelram/score.hpp"
#include "axelram/trellis.hpp"
#include "golden/fields.hpp"

/// Parameters whose records have two parts.
namespace test {

inline axelram::Parameters prod_of(int d, int bits) {
  return {.head_dim = d, .index_bits = bits, .kind = axelram::QuantizerKind::prod};
}

/// states: of a trellis; 0: none.
inline axelram::Parameters split_of(int d, int high, int low, int states) {
  axelram::Parameters p{
      .head_dim = d, .scale = axelram::ScaleKind::unbiased, .split_high = high, .split_low = low};
  if (states == 0) return p;
  p.kind = axelram::QuantizerKind::trellis;
  p.states = states;
  return p;
}

/// All bits, with and without a trellis.
inline std::vector<axelram::Parameters> all_two_parts(int d) {
  std::vector<axelram::Parameters> all;
  for (const int bits : {2, 3, 4}) all.push_back(prod_of(d, bits));
  for (int high = 1; high <= 4; ++high)
    for (int low = 1; low <= high; ++low)
      for (const int states : {0, 4 << ((high + low) % 3)})
        all.push_back(split_of(d, high, low, states));
  return all;
}

/// One of prod, and splits with and without a trellis; `which` 0, 1 or 2.
inline std::vector<axelram::Parameters> some_two_parts(int d, int which) {
  const int high = which == 0 ? 3 : which == 1 ? 4 : 1, low = which == 1 ? 2 : 1;
  return {prod_of(d, 2 + which), split_of(d, high, low, 0), split_of(d, high, low, 4 << which)};
}

inline std::string text_of(const axelram::Parameters& p) {
  std::string text = "d " + std::to_string(p.head_dim);
  if (p.prod()) return text + ", prod of " + std::to_string(p.index_bits);
  text += ", split " + std::to_string(p.split_high) + "/" + std::to_string(p.split_low);
  if (p.trellis()) text += ", trellis of " + std::to_string(p.states);
  return text;
}

/// Inputs of golden for both parts of the records. v: with the kind prod.
inline std::array<axelram::ScorePart, 2> score_parts_of(const axelram::Parameters& p,
                                                        const axelram::CodebookRom& rom,
                                                        const std::int32_t* u, int exponent,
                                                        const std::int32_t* v,
                                                        int residual_exponent) {
  static constexpr std::int32_t kSigns[] = {1, -1};
  if (p.prod())
    return {{{u, exponent, p.head_dim, p.codebook_bits(), rom.centroids.data(), 0, 1},
             {v, residual_exponent + p.log2_dim() / 2 - 16 - p.log2_dim(), p.head_dim, 1, kSigns, 0,
              rom.residual_scale}}};
  const int half = p.head_dim / 2, states = p.trellis() ? p.states : 0;
  return {{{u, exponent, half, p.split_high, rom.centroids.data(), states, 1},
           {u + half, exponent, half, p.split_low, rom.second->centroids.data(), states, 1}}};
}

inline void hadamard_in_place(double* x, std::size_t d) {
  for (std::size_t half = 1; half < d; half *= 2)
    for (std::size_t i = 0; i < d; ++i) {
      if ((i & half) != 0) continue;
      const double a = x[i], b = x[i + half];
      x[i] = a + b;
      x[i + half] = a - b;
    }
}

/// The vector that a record of two parts stands for (bit-contract.md#residual-6,
/// bit-contract.md#split).
inline std::vector<double> vector_of_parts(const axelram::Parameters& p,
                                           const axelram::CodebookRom& rom,
                                           const axelram::HeadRotation& rotation,
                                           const std::uint8_t* record) {
  const auto d = static_cast<std::size_t>(p.head_dim), dim = p.split() ? d / 2 : d;
  const int count = static_cast<int>(dim);
  std::vector<std::uint8_t> indices[2] = {std::vector<std::uint8_t>(dim),
                                          std::vector<std::uint8_t>(dim)};
  axelram::RecordPart parts[2] = {
      {indices[0].data(), count, p.split() ? p.split_high : p.codebook_bits(), 0},
      {indices[1].data(), count, p.split() ? p.split_low : 1, 0}};
  axelram::unpack_parts_ref(record, &parts[0], &parts[1]);
  const auto norm = [&](std::size_t part) {
    const axelram::NormValue value = axelram::decode_norm(parts[part].norm);
    return std::ldexp(value.significand, value.exponent);
  };
  std::vector<double> x(d), out(d);
  for (std::size_t part = 0; part < (p.split() ? 2 : 1); ++part) {
    if (p.trellis())
      axelram::trellis_level_ref(indices[part].data(), count, p.states, indices[part].data());
    const axelram::CodebookRom& of = part == 0 ? rom : *rom.second;
    for (std::size_t i = 0; i < dim; ++i)
      x[part * dim + i] = norm(part) * of.centroids[indices[part][i]];
  }
  if (p.prod()) {
    std::vector<double> residual(d);
    for (std::size_t i = 0; i < d; ++i) residual[i] = indices[1][i] != 0 ? -norm(1) : norm(1);
    hadamard_in_place(residual.data(), d);
    const double factor = std::ldexp(rom.residual_scale, p.log2_dim() / 2 - 16 - p.log2_dim());
    for (std::size_t i = 0; i < d; ++i) x[i] += residual[i] * rotation.residual_signs[i] * factor;
  }
  for (std::size_t first = 0; first < d; first += dim) hadamard_in_place(&x[first], dim);
  const auto channels = axelram::channel_order(rotation.high_channels, p.head_dim);
  for (std::size_t i = 0; i < d; ++i)
    out[channels.empty() ? i : channels[i]] = x[i] * rotation.signs[i] * rom.score_scale;
  return out;
}

}  // namespace test
