#pragma once

#include <cstddef>

#include "axelram/calibration/keys.hpp"
#include "axelram/files/position_centers.hpp"

namespace axelram::calibration {

/// The mean of the keys of every layer and KV head, each turned back from its position
/// (bit-contract.md#position-centers). Row r of `keys` has position r % window.
files::PositionCenters position_centers(const Keys& keys, std::size_t window,
                                        const checkpoints::Architecture& architecture, int block);

}  // namespace axelram::calibration
