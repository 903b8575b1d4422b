#pragma once

#include <cstdint>

#include "axelram/kernels/pages.hpp"
#include "units/norm.cuh"
#include "units/tile.cuh"

namespace axelram::kernels {

/// One token of one head in its page.
struct CacheRow {
  const Pages& pages;
  std::int32_t log2_dim;
  const std::uint8_t* at;  ///< its FP16 row, or the tile that holds it
  std::int32_t token;      ///< in the tile

  AXELRAM_HD CacheRow(const Pages& p, std::int32_t log2, const BlockTable& table,
                      std::int32_t sequence, std::int32_t position, std::int32_t head)
      : pages(p), log2_dim(log2), at(nullptr), token(position % kTileTokens) {
    const PageSlot slot = page_slot(p, table, sequence, position);
    at = p.kind == RowKind::fp16 ? head_of_page(p, slot.page, head) +
                                       static_cast<std::int64_t>(slot.token) * p.row_stride
                                 : tile_of(p, slot.page, head, slot.token);
  }
  AXELRAM_HD float element(std::int32_t dim) const {
    return float_of_half(
        static_cast<std::uint16_t>(at[2 * dim] | static_cast<unsigned>(at[2 * dim + 1]) << 8));
  }
  AXELRAM_HD TilePart part(int number) const { return tile_part(pages, log2_dim, number); }
  AXELRAM_HD std::int32_t index(const TilePart& part, std::int32_t dim) const {
    const int b = part.index_bits, vector = part.vector_words();
    const PayloadSlot slot = payload_slot(pages.values, part.log2_dim, token, dim);
    std::int32_t index = 0;
    for (int bit = 0; bit < b; ++bit) {
      const PayloadBit p = payload_bit(b, slot.index, bit);
      const int word = part.first_word + tile_word(vector, slot.lane, p.word);
      const std::uint8_t byte = at[4 * word + p.bit / 8];
      index |= (byte >> (p.bit % 8) & 1) << bit;
    }
    return index;
  }
  /// The lowest bits of the indices before `dim`, as a state of a trellis.
  AXELRAM_HD std::uint32_t state_before(const TilePart& part, std::int32_t dim) const {
    std::uint32_t state = 0;
    for (std::int32_t i = dim < 4 ? 0 : dim - 4; i < dim; ++i)
      state = 2 * state + (static_cast<std::uint32_t>(index(part, i)) & 1U);
    return state;
  }
  AXELRAM_HD std::uint16_t norm_bits(const TilePart& part) const {
    const std::uint8_t* const p = at + part.first_norm + 2 * token;
    return static_cast<std::uint16_t>(p[0] | static_cast<unsigned>(p[1]) << 8);
  }
  AXELRAM_HD float norm(const TilePart& part) const { return norm_value(norm_bits(part)); }
};

}  // namespace axelram::kernels
