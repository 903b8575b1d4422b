#pragma once

#include <cstdint>
#include <type_traits>

#include "axelram/kernels/constants.hpp"
#include "axelram/kernels/pages.hpp"
#include "device/platform.cuh"

/// The layout of RowKind::records. A tile is 32 tokens of one head: first their indices, 32 lanes
/// of head_dim * index_bits / 32 words each, then their 32 norms, 2 bytes each in token order.
/// Records of two parts (bit-contract.md#two-parts) have the payloads of the first part, laid out
/// as if its elements were all, those of the second, the norms of the first and those of the
/// second.
///
/// The words of a lane are one payload: what that lane feeds to the tensor cores, so that a warp
/// multiplies a tile as it was loaded, without a transposition. Payloads are interleaved by vectors
/// of 4, 2 or 1 words, [vector of the payload][lane][word], so that a warp's loads are contiguous.
///
/// A payload is head_dim / 32 units of 32 indices in index_bits words. Index 8c + n of a unit (c =
/// 0..3, n = 0..7) lies
///   index_bits = 4: in nibble n of word c;
///   index_bits = 3: c < 3: in the low 3 bits of nibble n of word c; c = 3: its bit k is bit 3 of
///                   nibble n of word k;
///   index_bits = 2: in bits 2 * (c % 2) and up of nibble n of word c / 2;
///   index_bits = 1: in bit c of nibble n of the word.
///
/// With lane = 4g + t, index number i = 0..head_dim-1 of a lane's payload is
///   keys:   token 8 * (i / (d/4)) + g, dimension (d/4) * t + i % (d/4);
///   values: token 8 * ((i/2) % 4) + 2t + i % 2, dimension 8 * (i/8) + g.
/// Four consecutive indices fill one register of signed centroid bytes (expand_unit).
namespace axelram::kernels {

AXELRAM_HD constexpr int tile_lane_words(int head_dim, int index_bits) {
  return head_dim * index_bits / 32;
}
AXELRAM_HD constexpr int tile_vector_words(int head_dim, int index_bits) {
  const int words = tile_lane_words(head_dim, index_bits);
  return words % 4 == 0 ? 4 : words % 2 == 0 ? 2 : 1;
}
/// Offset in a tile of word `word` of `lane`'s payload, in words.
AXELRAM_HD constexpr int tile_word(int vector_words, int lane, int word) {
  const int vector = word / vector_words;
  return (vector * kTileTokens + lane) * vector_words + word % vector_words;
}
/// Offset in a tile of the norm of a token, in bytes.
AXELRAM_HD constexpr int tile_norm(int head_dim, int index_bits, int token) {
  return 4 * head_dim * index_bits + 2 * token;
}

/// A token's page, and its number in the page.
struct PageSlot {
  std::int32_t page, token;
};
AXELRAM_HD PageSlot page_slot(const Pages& pages, const BlockTable& table, std::int32_t sequence,
                              std::int32_t position) {
  const std::int32_t column = position / pages.page_tokens;
  const auto entry = static_cast<std::int64_t>(sequence) * table.max_pages + column;
  return {table.table[entry], position - column * pages.page_tokens};
}
AXELRAM_HD std::uint8_t* head_of_page(const Pages& pages, std::int32_t page, std::int32_t head) {
  const auto number = static_cast<std::int64_t>(page) * pages.heads + head;
  return pages.data + static_cast<std::size_t>(number) * pages.head_bytes;
}
AXELRAM_HD std::uint8_t* tile_of(const Pages& pages, std::int32_t page, std::int32_t head,
                                 std::int32_t token) {
  return head_of_page(pages, page, head) +
         static_cast<std::size_t>(token / kTileTokens) * tile_bytes(pages);
}

/// Records of two parts as kernels are compiled for them.
enum class PartKind { prod, split, split_trellis };
/// Most index bits of a part; one of residual signs.
AXELRAM_HD constexpr int most_bits(PartKind kind, int part) {
  return kind != PartKind::prod ? 4 : part == 0 ? 3 : 1;
}

/// Where a part of the records lies in a tile, and in a row-major record.
struct TilePart {
  std::int32_t dim, log2_dim, index_bits;
  std::int32_t first_word;  ///< of the payloads in the tile
  std::int32_t first_norm;  ///< byte of the norms in the tile
  std::int32_t first_bit;   ///< of the indices in a record
  std::int32_t norm_bit;    ///< of the norm in a record

  AXELRAM_HD constexpr int vector_words() const { return tile_vector_words(dim, index_bits); }
};
/// log2_dim: of pages.head_dim; part: 0 or 1.
AXELRAM_HD constexpr TilePart tile_part(const Pages& pages, int log2_dim, int part) {
  const std::int32_t dim = pages.part_dim(), all = dim * (pages.index_bits + pages.second_bits);
  const std::int32_t before = part == 0 ? 0 : dim * pages.index_bits;
  return {dim,
          pages.split ? log2_dim - 1 : log2_dim,
          part == 0 ? pages.index_bits : pages.second_bits,
          before,
          4 * all + 2 * kTileTokens * part,
          before,
          all + 16 * part};
}

/// visit(b) with the constant b that is index_bits, 1 .. kMost.
template <int kMost, class Visit>
AXELRAM_DEVICE void visit_bits(std::int32_t index_bits, const Visit& visit) {
  if constexpr (kMost > 1)
    if (index_bits != kMost) return visit_bits<kMost - 1>(index_bits, visit);
  visit(std::integral_constant<int, kMost>());
}

/// A lane's payload of kDim elements, 16 bytes at a time if it allows; `to` may have room for more.
/// kOnce: it is read once.
template <int kDim, int kBits, bool kOnce, int kRoom>
AXELRAM_DEVICE void load_payload(std::uint32_t (&to)[kRoom], const std::uint8_t* payloads) {
  constexpr int kWords = tile_lane_words(kDim, kBits), kVector = tile_vector_words(kDim, kBits);
  static_assert(kWords <= kRoom);
  const auto fetch = [](const auto* from) { return kOnce ? load_streaming(from) : load(from); };
  AXELRAM_UNROLL
  for (int i = 0; i < kWords / kVector; ++i) {
    const auto* const from = reinterpret_cast<const std::uint32_t*>(payloads) +
                             (32 * static_cast<unsigned>(i) + lane_index()) * kVector;
    if constexpr (kVector == 4) {
      const Words4 v = fetch(reinterpret_cast<const Words4*>(from));
      AXELRAM_UNROLL
      for (int k = 0; k < 4; ++k) to[4 * i + k] = v.w[k];
    } else if constexpr (kVector == 2) {
      const Words2 v = fetch(reinterpret_cast<const Words2*>(from));
      to[2 * i] = v.w[0];
      to[2 * i + 1] = v.w[1];
    } else {
      to[i] = fetch(from);
    }
  }
}

/// The lane of a tile that holds an index, and the index's number in the lane's payload.
struct PayloadSlot {
  int lane, index;
};
/// token: 0..31 in the tile.
AXELRAM_HD constexpr PayloadSlot payload_slot(bool values, int log2_dim, int token, int dim) {
  const int quarter = log2_dim - 2;
  if (values) return {4 * (dim % 8) + token % 8 / 2, 8 * (dim / 8) + 2 * (token / 8) + token % 2};
  return {4 * (token % 8) + (dim >> quarter),
          (token / 8 << quarter) + (dim & ((1 << quarter) - 1))};
}

struct TileElement {
  int token, dim;
};
/// The inverse of payload_slot.
AXELRAM_HD constexpr TileElement tile_element(bool values, int log2_dim, int lane, int index) {
  const int quarter = log2_dim - 2, g = lane / 4, t = lane % 4;
  if (values) return {8 * (index / 2 % 4) + 2 * t + index % 2, 8 * (index / 8) + g};
  return {8 * (index >> quarter) + g, (t << quarter) + (index & ((1 << quarter) - 1))};
}

/// Bit `bit` of `word` of a payload.
struct PayloadBit {
  int word, bit;
};
/// The position of bit `bit` of index number `index` of a payload.
AXELRAM_HD constexpr PayloadBit payload_bit(int index_bits, int index, int bit) {
  const int first = index / 32 * index_bits, c = index % 32 / 8, nibble = 4 * (index % 8);
  if (index_bits == 1) return {first, nibble + c};
  if (index_bits == 2) return {first + c / 2, nibble + 2 * (c % 2) + bit};
  if (index_bits == 3 && c == 3) return {first + bit, nibble + 3};
  return {first + c, nibble + bit};
}

/// The part of index 8c + n of a unit that lies in nibble n of the unit's word `word`: its bits
/// from `first` on, at bit `shift` of the nibble. mask has a 1 for each of them; 0: none.
struct NibblePart {
  int first, shift;
  std::uint32_t mask;
};
AXELRAM_HD constexpr NibblePart nibble_part(int index_bits, int word, int c) {
  if (index_bits == 3 && c == 3) return {word, 3, 1};
  if (index_bits == 1) return {0, c, 1};
  if (index_bits == 2) return {0, 2 * (c % 2), c / 2 == word ? 3U : 0U};
  return {0, 0, c == word ? (1U << index_bits) - 1 : 0U};
}

/// The lowest bits that make z0 and z1 of a trellis (bit-contract.md#trellis), in dimensions before
/// the index: z0 is that of z0; z1 the XOR of the index's own, that of z1 and, under the mask, that
/// of z1_last.
struct TrellisTaps {
  std::int32_t z0, z1, z1_last;
  std::uint32_t z1_last_mask;  ///< all ones, or 0
};
/// states: 4, 8, 16; otherwise nothing is meant.
AXELRAM_HD constexpr TrellisTaps trellis_taps(int states) {
  if (states == 4) return {1, 2, 2, 0};
  return {2, 1, states == 8 ? 3 : 4, 0xFFFFFFFF};
}

/// The 2^b centroid words, or the 2^(b+1) of a trellis, as signed bytes, in order; what lies beyond
/// repeats.
struct CentroidBytes {
  std::uint32_t words[8];
  TrellisTaps taps;
};
/// centroid_bits <= 8. states: of the trellis; 0: none.
AXELRAM_HD CentroidBytes centroid_bytes(const CodebookConstants& codebook, int states) {
  CentroidBytes bytes{};
  const int count = 1 << (codebook.index_bits + (states != 0 ? 1 : 0));
  for (int i = 0; i < 32; ++i) {
    const auto centroid = codebook.centroids[i & (count - 1)];
    bytes.words[i / 4] |= (static_cast<std::uint32_t>(centroid) & 0xFF) << (8 * (i % 4));
  }
  bytes.taps = trellis_taps(states);
  return bytes;
}

/// The 32 indices of a unit, one a nibble: selectors[c] holds indices 8c .. 8c + 7.
template <int kBits>
AXELRAM_HD void unit_selectors(const std::uint32_t (&w)[kBits], std::uint32_t (&selectors)[4]) {
  static_assert(kBits >= 1 && kBits <= 4);
  if constexpr (kBits == 1) {
    AXELRAM_UNROLL
    for (int c = 0; c < 4; ++c) selectors[c] = w[0] >> c & 0x11111111;
  } else if constexpr (kBits == 2) {
    selectors[0] = w[0] & 0x33333333;
    selectors[1] = w[0] >> 2 & 0x33333333;
    selectors[2] = w[1] & 0x33333333;
    selectors[3] = w[1] >> 2 & 0x33333333;
  } else if constexpr (kBits == 3) {
    selectors[0] = w[0] & 0x77777777;
    selectors[1] = w[1] & 0x77777777;
    selectors[2] = w[2] & 0x77777777;
    selectors[3] = (w[0] >> 3 & 0x11111111) | (w[1] >> 2 & 0x22222222) | (w[2] >> 1 & 0x44444444);
  } else {
    AXELRAM_UNROLL
    for (int c = 0; c < 4; ++c) selectors[c] = w[c];
  }
}

/// The centroids of 8 indices, one a nibble, as signed bytes in order. index_bits < 4: the other
/// bits of the nibbles are 0.
template <int kBits>
AXELRAM_HD void expand_eight(std::uint32_t selector, const CentroidBytes& table,
                             std::uint32_t (&bytes)[2]) {
  if constexpr (kBits < 4) {
    const std::uint32_t high = table.words[kBits == 3 ? 1 : 0];
    bytes[0] = permute_bytes(table.words[0], high, selector);
    bytes[1] = permute_bytes(table.words[0], high, selector >> 16);
  } else {
    // Both halves of the table, then byte i of the one that bit 3 names.
    const std::uint32_t low_bits = selector & 0x77777777;
    const std::uint32_t halves = (selector >> 1 & 0x44444444) | 0x32103210;
    AXELRAM_UNROLL
    for (int h = 0; h < 2; ++h) {
      const std::uint32_t s = low_bits >> (16 * h);
      const std::uint32_t below = permute_bytes(table.words[0], table.words[1], s);
      const std::uint32_t above = permute_bytes(table.words[2], table.words[3], s);
      bytes[h] = permute_bytes(below, above, halves >> (16 * h));
    }
  }
}

/// The centroids of the 32 indices of a unit, signed bytes in order, four a register.
template <int kBits>
AXELRAM_HD void expand_unit(const std::uint32_t (&w)[kBits], const CentroidBytes& table,
                            std::uint32_t (&bytes)[8]) {
  std::uint32_t selectors[4];
  unit_selectors<kBits>(w, selectors);
  AXELRAM_UNROLL
  for (int c = 0; c < 4; ++c) {
    std::uint32_t eight[2];
    expand_eight<kBits>(selectors[c], table, eight);
    bytes[2 * c] = eight[0];
    bytes[2 * c + 1] = eight[1];
  }
}

}  // namespace axelram::kernels
