#include "score/tile_launch.hpp"

#include <algorithm>
#include <string>

#include "common/check_pages.hpp"

namespace axelram::kernels {
namespace {

constexpr int kMaxGroup = 16;

}  // namespace

TileLaunch tile_launch(const char* kernel, const MacroConstants& constants, const Pages& keys,
                       const BlockTable& table, std::int32_t group, std::size_t score_stride) {
  check_pages(kernel, keys);
  const std::uint64_t tiles = static_cast<std::uint64_t>(table.max_pages) *
                              static_cast<std::uint64_t>(keys.page_tokens / kTileTokens);
  Launch shape{kernel,
               std::to_string(table.sequences) + " sequences of at most " +
                   std::to_string(tiles * kTileTokens) + " keys, " + text_of(keys) +
                   ", groups of " + std::to_string(group),
               0};
  const auto require = [&](bool holds, const std::string& what) {
    if (!holds) throw DeviceError(shape.text() + ": " + what);
  };
  require(keys.kind == RowKind::records && !keys.values, "these are no pages of key records");
  require(keys.head_dim == constants.head_dim && keys.index_bits == constants.index_bits &&
              keys.second_bits == constants.second.index_bits && keys.split == constants.split,
          "the constants are of head_dim " + std::to_string(constants.head_dim) +
              " and index_bits " + std::to_string(constants.index_bits) +
              (constants.two_parts() ? " and " + std::to_string(constants.second.index_bits) : ""));
  require(constants.query_bits <= 8 && constants.centroid_bits <= 8,
          "query_bits and centroid_bits are " + std::to_string(constants.query_bits) + " and " +
              std::to_string(constants.centroid_bits) + "; at most 8 fit");
  require(group >= 1 && group <= kMaxGroup, "a group must be of 1..16");
  require(score_stride % 2 == 0, "score_stride must be even");
  require(tiles * kTileTokens <= 0x7FFFFFFF, "at most 2147483647 keys of a sequence fit");

  // So many rounds of the 16 warps of each of 132 multiprocessors, as far as there is work for
  // them: with fewer, the last round leaves more of the device idle. Beyond, a warp has enough
  // tiles for its pipeline and against the loading of its queries, and a trellis costs more to
  // begin.
  const std::uint64_t rounds = constants.states != 0 ? 8 : 16;
  const std::uint64_t warps_wanted = rounds * 16 * 132;
  const std::uint64_t all =
      tiles * static_cast<std::uint64_t>(keys.heads) * static_cast<std::uint64_t>(table.sequences);
  const std::uint64_t warp_tiles =
      std::clamp<std::uint64_t>((all + warps_wanted - 1) / warps_wanted, 2, 16);
  shape.grid_x = (tiles + kTileWarps * warp_tiles - 1) / (kTileWarps * warp_tiles);
  shape.grid_y = static_cast<std::uint64_t>(keys.heads);
  shape.grid_z = static_cast<std::uint64_t>(table.sequences);
  shape.threads = 32 * kTileWarps;
  return {shape, static_cast<std::int32_t>(warp_tiles)};
}

}  // namespace axelram::kernels
