#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "axelram/kernels/pages.hpp"
#include "units/tile.cuh"

/// Tiles laid out by the definition of the layout, bit by bit.
namespace test {

namespace kernels = axelram::kernels;

inline std::vector<std::uint8_t> random_bytes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

/// Bits first .. first + count - 1 of a record.
inline unsigned bits_at(const std::uint8_t* record, int first, int count) {
  unsigned value = 0;
  for (int bit = 0; bit < count; ++bit)
    value |= (record[(first + bit) / 8] >> ((first + bit) % 8) & 1U) << bit;
  return value;
}

/// Indices of `token`, 0..31, into the payloads of a part of a tile.
inline void put_indices(std::uint8_t* payloads, bool values, int d, int b, int token,
                        const std::uint8_t* record, int first_bit) {
  int log2_dim = 0;
  while (1 << log2_dim < d) ++log2_dim;
  const int vector = kernels::tile_vector_words(d, b);
  for (int i = 0; i < d; ++i) {
    const kernels::PayloadSlot slot = kernels::payload_slot(values, log2_dim, token, i);
    const unsigned index = bits_at(record, first_bit + i * b, b);
    for (int bit = 0; bit < b; ++bit) {
      const kernels::PayloadBit at = kernels::payload_bit(b, slot.index, bit);
      std::uint8_t* const to = payloads + 4 * kernels::tile_word(vector, slot.lane, at.word);
      std::uint32_t word;
      std::memcpy(&word, to, 4);
      word &= ~(1U << at.bit);
      word |= (index >> bit & 1U) << at.bit;
      std::memcpy(to, &word, 4);
    }
  }
}

/// Writes the record of `token`, 0..31, into a tile of records of two parts, or of one.
inline void put_record(std::uint8_t* tile, const kernels::Pages& pages, int token,
                       const std::uint8_t* record) {
  const int dim = pages.part_dim(), first = dim * pages.index_bits;
  const int all = first + dim * pages.second_bits;
  put_indices(tile, pages.values, dim, pages.index_bits, token, record, 0);
  if (pages.second_bits != 0)
    put_indices(tile + 4 * first, pages.values, dim, pages.second_bits, token, record, first);
  for (int part = 0; part < pages.parts(); ++part)
    std::memcpy(tile + 4 * all + 64 * part + 2 * token, record + all / 8 + 2 * part, 2);
}

/// The same of one part.
inline void put_record(std::uint8_t* tile, bool values, int d, int b, int token,
                       const std::uint8_t* record) {
  kernels::Pages pages{.values = values, .head_dim = d, .index_bits = b};
  put_record(tile, pages, token, record);
}

}  // namespace test
