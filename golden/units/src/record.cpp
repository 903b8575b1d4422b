#include "axelram/record.hpp"

#include <algorithm>

namespace axelram {
namespace {

void put_bits(unsigned value, int count, int position, std::uint8_t* bytes) {
  for (int bit = 0; bit < count; ++bit, ++position) {
    const unsigned mask = ((value >> bit) & 1u) << (position % 8);
    bytes[position / 8] = static_cast<std::uint8_t>(bytes[position / 8] | mask);
  }
}

unsigned get_bits(const std::uint8_t* bytes, int count, int position) {
  unsigned value = 0;
  for (int bit = 0; bit < count; ++bit, ++position)
    value |= ((static_cast<unsigned>(bytes[position / 8]) >> (position % 8)) & 1u) << bit;
  return value;
}

}  // namespace

void pack_record_ref(const std::uint8_t* indices, std::uint16_t norm, int d, int index_bits,
                     std::uint8_t* record) {
  std::fill(record, record + record_bytes(d, index_bits), std::uint8_t{0});
  for (int i = 0; i < d; ++i) put_bits(indices[i], index_bits, i * index_bits, record);
  put_bits(norm, 16, d * index_bits, record);
}

void unpack_record_ref(const std::uint8_t* record, int d, int index_bits, std::uint8_t* indices,
                       std::uint16_t* norm) {
  for (int i = 0; i < d; ++i)
    indices[i] = static_cast<std::uint8_t>(get_bits(record, index_bits, i * index_bits));
  *norm = static_cast<std::uint16_t>(get_bits(record, 16, d * index_bits));
}

}  // namespace axelram
