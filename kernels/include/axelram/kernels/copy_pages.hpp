#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/device.hpp"

namespace axelram::kernels {

/// Page to[i] = page from[i] of `pages`, for i below count: page p begins p * page_bytes after it,
/// a multiple of 16. No page is copied to and from in one call. All in device memory.
void copy_pages(Stream& stream, std::uint8_t* pages, std::size_t page_bytes,
                const std::int32_t* from, const std::int32_t* to, std::size_t count);

}  // namespace axelram::kernels
