#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "axelram/kernels/device.hpp"
#include "axelram/kernels/pages.hpp"
#include "axelram/parameters.hpp"

namespace test {

namespace kernels = axelram::kernels;

/// Sequences of the given lengths in pages that lie in a random order; memory first holds bytes of
/// `seed`.
struct PagedCache {
  kernels::Pages pages;
  std::vector<std::int32_t> table;  ///< [sequences, max_pages]
  std::int32_t max_pages = 1;
  std::size_t page_count = 0;
  kernels::Buffer<std::uint8_t> memory;
  kernels::Buffer<std::int32_t> device_table;
  kernels::BlockTable block_table;

  PagedCache(kernels::Stream& stream, kernels::Pages shape,
             const std::vector<std::int32_t>& lengths, std::uint64_t seed)
      : pages(shape) {
    std::mt19937_64 random(seed);
    const auto tokens = shape.page_tokens;
    for (const std::int32_t length : lengths)
      max_pages = std::max(max_pages, (length + tokens - 1) / tokens);
    page_count = lengths.size() * static_cast<std::size_t>(max_pages) + 1;
    std::vector<std::int32_t> order(page_count);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    table.assign(order.begin(), order.end() - 1);
    std::vector<std::uint8_t> bytes(bytes_of_pages());
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    memory = kernels::Buffer<std::uint8_t>(stream, bytes);
    device_table = kernels::Buffer<std::int32_t>(stream, table);
    pages.data = memory.data();
    block_table = {device_table.data(), static_cast<std::int32_t>(lengths.size()), max_pages};
  }

  std::size_t bytes_of_pages() const {
    return page_count * static_cast<std::size_t>(pages.heads) * pages.head_bytes;
  }
  /// Offset in memory of the head of the page of a token.
  std::size_t head_at(std::int32_t sequence, std::int32_t position, std::int32_t head) const {
    const auto page =
        table[static_cast<std::size_t>(sequence * max_pages + position / pages.page_tokens)];
    return static_cast<std::size_t>(page * pages.heads + head) * pages.head_bytes;
  }
};

/// Pages of records of the least size.
inline kernels::Pages record_pages(int head_dim, int index_bits, int heads, int page_tokens,
                                   bool values) {
  kernels::Pages pages{.kind = kernels::RowKind::records,
                       .values = values,
                       .heads = heads,
                       .head_dim = head_dim,
                       .index_bits = index_bits,
                       .page_tokens = page_tokens,
                       .head_bytes = kernels::record_head_bytes(head_dim, index_bits, page_tokens)};
  return pages;
}
/// Pages of records of two parts.
inline kernels::Pages part_pages(const axelram::Parameters& p, int heads, int page_tokens,
                                 bool values = false) {
  kernels::Pages pages = record_pages(p.head_dim, p.codebook_bits(), heads, page_tokens, values);
  pages.split = p.split();
  pages.second_bits = p.split() ? p.split_low : 1;
  if (p.split()) pages.index_bits = p.split_high;
  pages.head_bytes = kernels::record_head_bytes(pages);
  return pages;
}
/// Pages of rows of row_bytes bytes, `gap` bytes apart.
inline kernels::Pages row_pages(kernels::RowKind kind, int head_dim, int row_bytes, int gap,
                                int heads, int page_tokens) {
  kernels::Pages pages{.kind = kind,
                       .heads = heads,
                       .head_dim = head_dim,
                       .page_tokens = page_tokens,
                       .row_stride = row_bytes + gap};
  pages.head_bytes = static_cast<std::size_t>((page_tokens * pages.row_stride + 127) / 128 * 128);
  return pages;
}

}  // namespace test
