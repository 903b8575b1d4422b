#pragma once

#include <array>
#include <string>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/parameters.hpp"
#include "axelram/score.hpp"

/// Parameters whose records have two parts.
namespace test {

inline axelram::Parameters prod_of(int d, int bits) {
  axelram::Parameters p;
  p.kind = axelram::QuantizerKind::prod;
  p.head_dim = d;
  p.index_bits = bits;
  return p;
}

/// states: of a trellis; 0: none.
inline axelram::Parameters split_of(int d, int high, int low, int states) {
  axelram::Parameters p;
  p.head_dim = d;
  p.scale = axelram::ScaleKind::unbiased;
  p.split_high = high;
  p.split_low = low;
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

}  // namespace test
