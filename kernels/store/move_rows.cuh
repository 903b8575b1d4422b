#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "axelram/kernels/store.hpp"
#include "common/check_pages.hpp"
#include "device/launch.cuh"
#include "units/tile.cuh"

namespace axelram::kernels {

/// Copies rows of RowKind::fp16 and RowKind::codewords to (kStore) or from their pages by units of
/// `Unit`, a warp a row: reads and writes each byte once, limited by memory.
template <bool kStore, class Unit>
AXELRAM_KERNEL AXELRAM_BOUNDS(256, 4) void move_rows(Pages pages, BlockTable table,
                                                     TokenPositions positions, Unit* rows,
                                                     std::uint32_t row_units) {
  const std::uint64_t row = std::uint64_t{block_x()} * (block_threads() / 32) + warp_index();
  const auto heads = static_cast<std::uint32_t>(pages.heads);
  if (row >= std::uint64_t{positions.count} * heads) return;
  const std::uint64_t entry = row / heads;
  const auto head = static_cast<std::int32_t>(row - entry * heads);
  const PageSlot at =
      page_slot(pages, table, load(positions.sequence + entry), load(positions.position + entry));
  Unit* const paged = reinterpret_cast<Unit*>(
      head_of_page(pages, at.page, head) + std::size_t(at.token) * std::size_t(pages.row_stride));
  Unit* const plain = rows + row * row_units;
  for (std::uint32_t i = lane_index(); i < row_units; i += 32) {
    if constexpr (kStore)
      paged[i] = plain[i];
    else
      plain[i] = paged[i];
  }
}

inline Launch shape_of(const char* kernel, const Pages& pages, const TokenPositions& positions,
                       std::size_t row_bytes) {
  return {kernel,
          "rows [" + std::to_string(positions.count) + ", " + std::to_string(pages.heads) + ", " +
              std::to_string(row_bytes) + "], " + text_of(pages),
          0};
}

template <bool kStore>
void launch_move_rows(Stream& stream, const char* kernel, const Pages& pages,
                      const BlockTable& table, const TokenPositions& positions, std::uint8_t* rows,
                      std::size_t row_bytes) {
  Launch shape = shape_of(kernel, pages, positions, row_bytes);
  shape.threads = 256;
  shape.grid_x = (positions.count * static_cast<std::size_t>(pages.heads) + 7) / 8;
  const auto by_units = [&](auto* units) {
    launch(stream, shape, move_rows<kStore, std::remove_pointer_t<decltype(units)>>, pages, table,
           positions, units, static_cast<std::uint32_t>(row_bytes / sizeof *units));
  };
  if (row_bytes % sizeof(Words4) == 0 && pages.row_stride % sizeof(Words4) == 0)
    by_units(reinterpret_cast<Words4*>(rows));
  else
    by_units(rows);
}

}  // namespace axelram::kernels
