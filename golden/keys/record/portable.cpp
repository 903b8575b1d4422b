#include "simd/level_units.hpp"

namespace axelram::portable {
namespace {

template <int index_bits>
void pack_indices(const std::uint8_t* indices, int d, std::uint8_t* record) {
  for (int i = 0; i < d; i += 8, record += index_bits) {
    std::uint32_t bits = 0;
    for (int j = 0; j < 8; ++j)
      bits |= static_cast<std::uint32_t>(indices[i + j]) << (j * index_bits);
    for (int byte = 0; byte < index_bits; ++byte)
      record[byte] = static_cast<std::uint8_t>((bits >> (8 * byte)) & 0xFF);
  }
}

}  // namespace

void pack(const std::uint8_t* indices, int d, int index_bits, std::uint8_t* record) {
  if (index_bits == 1) return pack_indices<1>(indices, d, record);
  if (index_bits == 2) return pack_indices<2>(indices, d, record);
  if (index_bits == 3) return pack_indices<3>(indices, d, record);
  pack_indices<4>(indices, d, record);
}

}  // namespace axelram::portable
