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
AXELRAM_KERNEL AXELRAM_BOUNDS(256, 4) void move_rows(Pages pages, BlockTable table, Places places,
                                                     Unit* rows, std::uint32_t row_units) {
  const std::uint64_t row = std::uint64_t{block_x()} * (block_threads() / 32) + warp_index();
  const auto heads = static_cast<std::uint32_t>(pages.heads);
  if (row >= std::uint64_t{places.count} * heads) return;
  const std::uint64_t place = row / heads;
  const auto head = static_cast<std::int32_t>(row - place * heads);
  const PagePlace at =
      page_place(pages, table, load(places.sequence + place), load(places.position + place));
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

inline Launch shape_of(const char* kernel, const Pages& pages, const Places& places,
                       std::size_t row_bytes) {
  return {kernel,
          "rows [" + std::to_string(places.count) + ", " + std::to_string(pages.heads) + ", " +
              std::to_string(row_bytes) + "], " + text_of(pages),
          0};
}

template <bool kStore>
void launch_move_rows(Stream& stream, const char* kernel, const Pages& pages,
                      const BlockTable& table, const Places& places, std::uint8_t* rows,
                      std::size_t row_bytes) {
  Launch shape = shape_of(kernel, pages, places, row_bytes);
  shape.threads = 256;
  shape.grid_x = (places.count * static_cast<std::size_t>(pages.heads) + 7) / 8;
  const auto by_units = [&](auto* units) {
    launch(stream, shape, move_rows<kStore, std::remove_pointer_t<decltype(units)>>, pages, table,
           places, units, static_cast<std::uint32_t>(row_bytes / sizeof *units));
  };
  if (row_bytes % sizeof(Words4) == 0 && pages.row_stride % sizeof(Words4) == 0)
    by_units(reinterpret_cast<Words4*>(rows));
  else
    by_units(rows);
}

}  // namespace axelram::kernels
