#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "axelram/parameters.hpp"

namespace axelram {

/// Lloyd-Max quantizer of a symmetric unit-variance density: ascending, exactly antisymmetric, each
/// value the double nearest to the exact one (bit-contract.md#codebook; references.md#axelram,
/// section II).
struct Codebook {
  std::vector<double> centroids;   ///< gamma_j, 2^b values
  std::vector<double> boundaries;  ///< beta_j, 2^b - 1 values, the middle one exactly 0
};

/// The codebook of N(0,1) (gaussian; head_dim does not matter), or of sqrt(d) times one coordinate
/// of a uniform point on the unit sphere in d = head_dim dimensions (beta). index_bits: 1..4.
/// Only IEEE-exact operations (+ - * / sqrt) are used: the same bits on every platform.
/// Throws std::invalid_argument for other index_bits, and for beta with head_dim < 16.
Codebook solve_codebook(CodebookKind kind, int head_dim, int index_bits);

/// Mean squared error of a codebook on the density of `kind` (variance 1). Throws
/// std::invalid_argument for beta with head_dim < 16.
double distortion(const Codebook& codebook, CodebookKind kind, int head_dim);

/// Words of a codebook in the ROM (bit-contract.md#write-4, bit-contract.md#read-2). A trellis has
/// 2^(b+1) levels lambda_j in place of the centroids gamma_j, and no boundaries. With the kind prod
/// b is one less.
struct CodebookRom {
  std::vector<std::int32_t> boundaries;       ///< B_j = RNE(beta_j * 2^F), ascending, 2^b - 1 words
  std::vector<std::int32_t> centroids;        ///< C_j = RNE(kappa * gamma_j), ascending, 2^b words
  std::vector<std::int32_t> reconstructions;  ///< Lambda_j = RNE(lambda_j * 2^F), ascending; a
                                              ///< trellis. The same of gamma_j with the kind prod
  double kappa = 0;        ///< scale of the centroid words: the double nearest to the exact one
  double score_scale = 0;  ///< the double nearest to 1 / (kappa * d) with the exact kappa, or
                           ///< 2^-(WC - 2 + log2 d) with an unbiased scale;
                           ///< score * score_scale ~ <q, k>  (bit-contract.md#read-5)
  std::uint32_t residual_scale = 0;  ///< Z, with the kind prod (bit-contract.md#residual-6)
  std::shared_ptr<const CodebookRom> second;  ///< of sub-vector 1; with a split only
};

/// B_j = RNE(beta_j * 2^fraction_bits).
std::vector<std::int32_t> boundary_words(const Codebook& codebook, int fraction_bits);

/// The scale of the centroid words (bit-contract.md#kappa): with M = 2^(centroid_bits-1) - 1, kappa
/// = tau / gamma_max for the multiple tau of 1/16, 0.6 M <= tau <= M, whose max_j |C_j / kappa -
/// gamma_j| is smallest; within a relative 1e-9 of the smallest, the largest tau. Returns 16 tau.
int centroid_scale(const Codebook& codebook, int centroid_bits);

/// C_j = RNE(tau * gamma_j / gamma_max); the outermost words are RNE(tau) without any error.
std::vector<std::int32_t> centroid_words(const Codebook& codebook, int sixteen_tau);

/// The ROM of legal parameters; with a split, of sub-vector 0 and its `second`. Throws
/// std::invalid_argument as check() does.
CodebookRom codebook_rom(const Parameters& parameters);

}  // namespace axelram
