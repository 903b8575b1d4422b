#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/code.hpp"

namespace axelram::faults {

/// Error patterns of n bits by weight. On the binary symmetric channel (ECC paper, equation 9) they
/// have the probability sum_w counts[w] p^w (1-p)^(n-w).
struct WeightCounts {
  std::vector<double> counts;  ///< by weight, 0..n

  WeightCounts() = default;
  explicit WeightCounts(int n) : counts(static_cast<std::size_t>(n) + 1) {}
  double& operator[](std::size_t weight) { return counts[weight]; }
  double operator[](std::size_t weight) const { return counts[weight]; }
  WeightCounts& operator+=(const WeightCounts& other);
  WeightCounts& operator-=(const WeightCounts& other);
  double at(double p) const;
};

double choose(int n, int w);
/// C(n, w) p^w (1-p)^(n-w).
double weight_probability(int n, int w, double p);

/// Columns of H in the order of a codeword's bits (ECC paper, equation 13).
std::vector<std::uint32_t> columns_of(const Code& code);

/// The patterns of bits with the given columns, counted by syndrome and weight: a bit more doubles
/// them, N'(s, w) = N(s, w) + N(s ^ h, w - 1). Summed over weights this is the syndrome
/// distribution P(s) = 2^-r sum_u (-1)^(u.s) (1-2p)^wt(uH), but made of positive terms only, so
/// that events of probability 1e-30 keep their digits.
std::vector<WeightCounts> coset_weights(const std::vector<std::uint32_t>& columns, int check_bits);

/// What becomes of a word, as patterns by weight. The five add up to all 2^n.
struct WordProfile {
  WeightCounts clean;           ///< no error
  WeightCounts corrected;       ///< rightly
  WeightCounts parity_only;     ///< rightly
  WeightCounts detected;        ///< left as received
  WeightCounts miscorrected;    ///< another codeword than was stored, whatever the status
  WeightCounts failed() const;  ///< detected or miscorrected
};
WordProfile word_profile(const Code& code);

/// What becomes of `count` data bits of a word from bit `first` on.
struct PartProfile {
  /// Word not detected, by the error left on these bits; not resolved: right and wrong only.
  std::vector<WeightCounts> undetected;
  WeightCounts detected_right;  ///< word detected, these bits received right
  WeightCounts detected_wrong;
};
/// resolve: every error of its own, 2^count of them (count at most 4 or so).
PartProfile part_profile(const Code& code, int first, int count, bool resolve);

}  // namespace axelram::faults
