#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/device.hpp"
#include "axelram/kernels/pages.hpp"

namespace axelram::kernels {

/// Writes rows [places.count, pages.heads, row_bytes], without gaps, into their places: FP16
/// elements (row_bytes = 2d), natural records (row_bytes = (d * b + 16) / 8; bits go where tiles
/// want them) or codeword strings (row_bytes <= row_stride), as pages.kind says. Other tokens'
/// bytes stay as they are; the rows may come in any order. rows: device memory, 16-byte aligned.
///
/// Not checked, as only the device could: a place is written once a call, its sequence lies in
/// 0 .. sequences-1, its position in 0 .. max_pages * page_tokens - 1, and the table names pages
/// that exist. Throws DeviceError for shapes that contradict each other.
void store_rows(Stream& stream, const Pages& pages, const BlockTable& table, const Places& places,
                const std::uint8_t* rows, std::size_t row_bytes);

/// The inverse: rows as store_rows took them. rows: 16-byte aligned, overwritten.
void load_rows(Stream& stream, const Pages& pages, const BlockTable& table, const Places& places,
               std::uint8_t* rows, std::size_t row_bytes);

}  // namespace axelram::kernels
