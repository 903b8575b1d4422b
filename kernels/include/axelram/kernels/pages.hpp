#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram::kernels {

/// Format of a token's row in the pages of a cache.
enum class RowKind : std::uint8_t {
  fp16,       ///< d FP16 elements: [page_tokens, d]
  records,    ///< tiles of 32 tokens, see units/tile.cuh: the record's bits in another order
  codewords,  ///< each record coded on its own: [page_tokens, row_stride] bytes of its bit string
};

/// Tokens of a tile, and the bytes of one: a multiple of 64.
constexpr int kTileTokens = 32;
constexpr std::size_t tile_bytes(int head_dim, int index_bits) {
  return 4 * static_cast<std::size_t>(head_dim * index_bits) + 2 * kTileTokens;
}

/// Keys or values of one layer, in pages of one allocation in any order: head h of page p
/// begins at data + (p * heads + h) * head_bytes, a multiple of 128. Bytes of tokens not yet
/// written may be anything.
struct Pages {
  RowKind kind = RowKind::fp16;
  bool values = false;  ///< tiles of values are transposed
  std::uint8_t* data = nullptr;
  std::int32_t heads = 0, head_dim = 0;
  std::int32_t index_bits = 0;   ///< of records; of their first part, if they have two
  std::int32_t second_bits = 0;  ///< of their second part (bit-contract.md#two-parts); 0: none
  bool split = false;            ///< two parts of head_dim / 2 elements each, not of head_dim
  std::int32_t page_tokens = 0;  ///< a multiple of 32
  std::int32_t row_stride = 0;   ///< bytes of a row: fp16 and codewords
  std::size_t head_bytes = 0;    ///< bytes of one head in a page

  constexpr std::int32_t parts() const { return second_bits != 0 ? 2 : 1; }
  constexpr std::int32_t part_dim() const { return split ? head_dim / 2 : head_dim; }
  /// Bits of a record.
  constexpr std::int32_t record_bits() const {
    return part_dim() * (index_bits + second_bits) + 16 * parts();
  }
};

/// Bytes of a tile of records of one or two parts.
constexpr std::size_t tile_bytes(const Pages& pages) {
  return static_cast<std::size_t>(kTileTokens / 8 * pages.record_bits());
}

/// The least head_bytes of pages of records.
constexpr std::size_t record_head_bytes(const Pages& pages) {
  const std::size_t tiles = static_cast<std::size_t>(pages.page_tokens / kTileTokens);
  return (tiles * tile_bytes(pages) + 127) / 128 * 128;
}
constexpr std::size_t record_head_bytes(int head_dim, int index_bits, int page_tokens) {
  Pages pages;
  pages.head_dim = head_dim;
  pages.index_bits = index_bits;
  pages.page_tokens = page_tokens;
  return record_head_bytes(pages);
}

/// Block table as in PagedAttention: token t of sequence s is token t % page_tokens of page
/// table[s * max_pages + t / page_tokens].
struct BlockTable {
  const std::int32_t* table = nullptr;  ///< [sequences, max_pages], device memory
  std::int32_t sequences = 0, max_pages = 0;
};

/// Tokens of rows: row i belongs to token position[i] of sequence sequence[i]. Device memory.
struct TokenPositions {
  const std::int32_t* sequence = nullptr;
  const std::int32_t* position = nullptr;
  std::size_t count = 0;
};

}  // namespace axelram::kernels
