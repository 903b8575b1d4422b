#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "axelram/record.hpp"
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

/// Writes the record of `token`, 0..31, into a tile.
inline void put_record(std::uint8_t* tile, bool values, int d, int b, int token,
                       const std::uint8_t* record) {
  int log2_dim = 0;
  while (1 << log2_dim < d) ++log2_dim;
  std::vector<std::uint8_t> indices(static_cast<std::size_t>(d));
  std::uint16_t norm = 0;
  axelram::unpack_record_ref(record, d, b, indices.data(), &norm);
  const int vector = kernels::tile_vector_words(d, b);
  for (int i = 0; i < d; ++i) {
    const kernels::PayloadSlot slot = kernels::payload_slot(values, log2_dim, token, i);
    for (int bit = 0; bit < b; ++bit) {
      const kernels::PayloadBit at = kernels::payload_bit(b, slot.index, bit);
      std::uint8_t* const to = tile + 4 * kernels::tile_word(vector, slot.lane, at.word);
      std::uint32_t word;
      std::memcpy(&word, to, 4);
      word &= ~(1U << at.bit);
      word |= static_cast<std::uint32_t>(indices[static_cast<std::size_t>(i)] >> bit & 1) << at.bit;
      std::memcpy(to, &word, 4);
    }
  }
  std::memcpy(tile + kernels::tile_norm(d, b, token), &norm, 2);
}

}  // namespace test
