#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "axelram/draws/draws.hpp"
#include "axelram/turboquant/linear_map.hpp"

namespace axelram::turboquant {

/// The projection S of a residual r, of which signs are kept (references.md#qjl): r is
/// estimated by factor * |r| * S^T sign(S r).
struct Projection {
  std::shared_ptr<const LinearMap> map;
  double factor = 0;
};

/// E|u_1| of a uniform point u on the unit sphere in d dimensions: about sqrt(2 / (pi d)), larger
/// by a relative 1 / (4d).
double mean_magnitude(int d);

/// Factor sqrt(pi / 2) / d, without bias.
Projection gaussian_projection(const draws::Draws& draws, int d);

/// Factor 1 / (d E|u_1|), without bias. The paper's factor, in the normalisation of orthonormal
/// rows sqrt(pi / (2d)), is larger by a relative 1 / (4d).
Projection orthogonal_projection(const draws::Draws& draws, int d);

/// Factor sqrt(pi / (2d)) of rows of length 1, as the macro has it (bit-contract.md#residual-6):
/// without bias to O(1 / d) alone.
Projection hadamard_projection(const std::vector<std::int8_t>& signs);

}  // namespace axelram::turboquant
