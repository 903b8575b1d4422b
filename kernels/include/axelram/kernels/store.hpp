#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/device.hpp"
#include "axelram/kernels/pages.hpp"

namespace axelram::kernels {

/// Writes rows [positions.count, pages.heads, row_bytes], without gaps, to their pages. By
/// pages.kind, rows are FP16 elements (row_bytes = 2d), row-major records (row_bytes = (d * b + 16)
/// / 8, reordered to the layout of tiles) or codewords (row_bytes <= row_stride). Bytes of other
/// tokens are not changed. Rows may come in any order. rows: device memory, 16-byte aligned.
/// Not checked: a token is written at most once per call, its sequence lies in
/// 0 .. sequences-1, its position in 0 .. max_pages * page_tokens - 1, and the table names pages
/// that exist. Throws DeviceError for shapes that contradict each other.
void store_rows(Stream& stream, const Pages& pages, const BlockTable& table,
                const TokenPositions& positions, const std::uint8_t* rows, std::size_t row_bytes);

/// The inverse: rows as store_rows took them. rows: 16-byte aligned, overwritten.
void load_rows(Stream& stream, const Pages& pages, const BlockTable& table,
               const TokenPositions& positions, std::uint8_t* rows, std::size_t row_bytes);

}  // namespace axelram::kernels
