#pragma once

#include <cstddef>

#include "axelram/codebook.hpp"

namespace axelram::turboquant {

/// The Lloyd-Max codebook of sqrt(d) times a coordinate of the unit sphere
/// (bit-contract.md#densities); with 0 bits the one centroid 0. Solved once in a process for each d
/// and number of bits, by whichever thread asks first. d >= 16; bits: 0..4; else
/// std::invalid_argument.
const Codebook& sphere_codebook(int d, int bits);

/// How often the process has called the solver.
std::size_t codebooks_solved();

}  // namespace axelram::turboquant
