#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/pages.hpp"
#include "device/launch.cuh"

namespace axelram::kernels {

constexpr unsigned kTileWarps = 4;  ///< of a block

/// The launch of a kernel that scores tiles, and how many tiles of a sequence and head a warp
/// takes.
struct TileLaunch {
  Launch shape;
  std::int32_t warp_tiles;
};

/// Throws DeviceError, naming the kernel, for shapes that contradict each other.
TileLaunch tile_launch(const char* kernel, const MacroConstants& constants, const Pages& keys,
                       const BlockTable& table, std::int32_t group, std::size_t score_stride);

}  // namespace axelram::kernels
