#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/code.hpp"

namespace axelram::faults {

/// Number of error patterns of n bits by weight. On the binary symmetric channel their probability
/// is at(p) = sum_w counts[w] p^w (1-p)^(n-w) (references.md#ecc-kv-cache, equation 9).
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

/// Columns of H in the order of the codeword bits (references.md#ecc-kv-cache, equation 13).
std::vector<std::uint32_t> columns_of(const Code& code);

/// Patterns of the bits with the given columns, counted by syndrome and weight. Each bit doubles
/// their number: N'(s, w) = N(s, w) + N(s ^ h, w - 1). The sum over weights equals the syndrome
/// distribution P(s) = 2^-r sum_u (-1)^(u.s) (1-2p)^wt(uH). All terms here are positive, so events
/// of probability 1e-30 keep their digits.
std::vector<WeightCounts> coset_weights(const std::vector<std::uint32_t>& columns, int check_bits);

}  // namespace axelram::faults
