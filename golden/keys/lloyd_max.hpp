#pragma once

#include <vector>

#include "axelram/codebook.hpp"
#include "numbers/double_double.hpp"

namespace axelram {

/// The positive half of the centroids, ascending, to about 28 digits. Throws as solve_codebook().
std::vector<DoubleDouble> positive_centroids(CodebookKind kind, int head_dim, int index_bits);

/// All centroids and boundaries, each rounded to double once; antisymmetry is by construction.
Codebook round_codebook(const std::vector<DoubleDouble>& positive);

}  // namespace axelram
