#pragma once

#include <cstddef>
#include <vector>

#include "axelram/calibration/queries.hpp"
#include "axelram/checkpoints/architecture.hpp"

namespace axelram::calibration {

/// Mean squares of queries, and of keys less their mean: of each channel of a head, or of the two
/// channels of each pair (bit-contract.md#balance).
struct Energies {
  std::vector<double> queries, keys;
};

Energies energies_of(const Keys& keys, const Queries& queries, std::size_t layer, std::size_t head);

/// Sums over the two channels of each pair.
Energies of_pairs(const Energies& channels, checkpoints::Positions positions);

/// Concentration of the pairs' keys: the Euclidean norm of their energies over the sum, from
/// sqrt(2 / d) to 1; 0 without energy.
double concentration(const Energies& pairs);

}  // namespace axelram::calibration
