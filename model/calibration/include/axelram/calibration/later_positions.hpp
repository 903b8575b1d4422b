#pragma once

#include <cstddef>

#include "axelram/calibration/queries.hpp"
#include "axelram/checkpoints/architecture.hpp"

namespace axelram::calibration {

/// Queries whose moments are those of a context of `positions` tokens, from windows of `window`
/// that begin at position 0: the mean over as many windows as the context holds whole, at least
/// one, each turned to its place by rotary embedding. Queries of the same kind then come at every
/// position. Kept queries stay, and all of a model whose positions are learned.
Queries at_later_positions(Queries queries, std::size_t window, std::size_t positions,
                           const checkpoints::Architecture& architecture);

}  // namespace axelram::calibration
