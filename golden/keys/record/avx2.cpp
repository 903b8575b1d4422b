#include <immintrin.h>

#include "simd/level_units.hpp"

/// Packing of indices with BMI2. Sizes are multiples of 32 elements.

namespace axelram::avx2 {
namespace {

template <int index_bits>
void pack_all(const std::uint8_t* indices, int d, std::uint8_t* record) {
  constexpr std::uint64_t kMask = 0x0101010101010101u * ((1u << index_bits) - 1);
  for (int i = 0; i < d; i += 8, record += index_bits) {
    std::uint64_t bytes;
    __builtin_memcpy(&bytes, indices + i, sizeof bytes);
    const std::uint64_t bits = _pext_u64(bytes, kMask);
    __builtin_memcpy(record, &bits, index_bits);
  }
}

}  // namespace

void pack(const std::uint8_t* indices, int d, int index_bits, std::uint8_t* record) {
  if (index_bits == 1) return pack_all<1>(indices, d, record);
  if (index_bits == 2) return pack_all<2>(indices, d, record);
  if (index_bits == 3) return pack_all<3>(indices, d, record);
  pack_all<4>(indices, d, record);
}

}  // namespace axelram::avx2
