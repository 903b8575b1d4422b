#pragma once

#include <cstdint>
#include <vector>

#include "axelram/signs.hpp"

/// Vectors and checksums of the contract's examples.
namespace contract_vectors {

/// FP16 elements from the sign words of a seed: 16-bit field i, sign and lower bits of the
/// magnitude kept (bit-contract.md#quantizer-vectors).
inline std::vector<std::uint16_t> vector_of_seed(std::uint64_t seed, int d) {
  std::vector<std::int8_t> signs(static_cast<std::size_t>(16 * d));
  axelram::sign_vector(seed, 0, 0, 16 * d, signs.data());
  std::vector<std::uint16_t> elements(static_cast<std::size_t>(d));
  for (std::size_t bit = 0; bit < signs.size(); ++bit)
    if (signs[bit] < 0)
      elements[bit / 16] = static_cast<std::uint16_t>(elements[bit / 16] | 1 << bit % 16);
  for (std::uint16_t& element : elements)
    element = static_cast<std::uint16_t>((element & 0x8FFF) | 0x3000);
  return elements;
}

/// CRC-32 as in zip.
inline std::uint32_t crc32(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

}  // namespace contract_vectors
