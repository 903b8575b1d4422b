#include "axelram/kernels/copy_pages.hpp"
#include "common/row_launch.hpp"

namespace axelram::kernels {
namespace {

/// A block for every page, 16 bytes a thread at a time. Bound by memory.
AXELRAM_KERNEL void copy_pages_kernel(std::uint8_t* pages, std::size_t page_bytes,
                                      const std::int32_t* from, const std::int32_t* to) {
  const auto* const source = reinterpret_cast<const Words4*>(
      pages + static_cast<std::size_t>(load(from + block_x())) * page_bytes);
  auto* const target = reinterpret_cast<Words4*>(
      pages + static_cast<std::size_t>(load(to + block_x())) * page_bytes);
  for (std::size_t i = thread_index(); i < page_bytes / 16; i += kRowThreads)
    store_vector(target + i, source[i]);
}

}  // namespace

void copy_pages(Stream& stream, std::uint8_t* pages, std::size_t page_bytes,
                const std::int32_t* from, const std::int32_t* to, std::size_t count) {
  const Launch l = row_launch("copy_pages", count, page_bytes);
  if (page_bytes % 16 != 0)
    throw DeviceError(l.text() + ": the bytes of a page must be a multiple of 16");
  launch(stream, l, copy_pages_kernel, pages, page_bytes, from, to);
}

}  // namespace axelram::kernels
