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

/// Appends fields of a record.
int put_all(const std::uint8_t* indices, int count, int index_bits, int position,
            std::uint8_t* record) {
  for (int i = 0; i < count; ++i, position += index_bits)
    put_bits(indices[i], index_bits, position, record);
  return position;
}

int get_all(const std::uint8_t* record, int count, int index_bits, int position,
            std::uint8_t* indices) {
  for (int i = 0; i < count; ++i, position += index_bits)
    indices[i] = static_cast<std::uint8_t>(get_bits(record, index_bits, position));
  return position;
}

}  // namespace

void pack_record_ref(const std::uint8_t* indices, std::uint16_t norm, int d, int index_bits,
                     std::uint8_t* record) {
  std::fill(record, record + record_bytes(d, index_bits), std::uint8_t{0});
  put_bits(norm, 16, put_all(indices, d, index_bits, 0, record), record);
}

void unpack_record_ref(const std::uint8_t* record, int d, int index_bits, std::uint8_t* indices,
                       std::uint16_t* norm) {
  *norm =
      static_cast<std::uint16_t>(get_bits(record, 16, get_all(record, d, index_bits, 0, indices)));
}

void pack_parts_ref(const RecordPart& first, const RecordPart& second, std::uint8_t* record) {
  std::fill(record, record + record_bytes(first, second), std::uint8_t{0});
  int position = put_all(first.indices, first.count, first.index_bits, 0, record);
  position = put_all(second.indices, second.count, second.index_bits, position, record);
  put_bits(first.norm, 16, position, record);
  put_bits(second.norm, 16, position + 16, record);
}

void unpack_parts_ref(const std::uint8_t* record, RecordPart* first, RecordPart* second) {
  int position = get_all(record, first->count, first->index_bits, 0, first->indices);
  position = get_all(record, second->count, second->index_bits, position, second->indices);
  first->norm = static_cast<std::uint16_t>(get_bits(record, 16, position));
  second->norm = static_cast<std::uint16_t>(get_bits(record, 16, position + 16));
}

std::vector<RecordField> record_fields(const Parameters& parameters) {
  using Kind = RecordField::Kind;
  const Parameters& p = parameters;
  if (!p.two_parts()) return record_fields(p.head_dim, p.index_bits);
  const int half = p.head_dim / 2;
  std::vector<RecordField> fields =
      p.split() ? std::vector<RecordField>{{Kind::index, 0, half, p.split_high},
                                           {Kind::index, 0, half, p.split_low}}
                : std::vector<RecordField>{{Kind::index, 0, p.head_dim, p.codebook_bits()},
                                           {Kind::residual_sign, 0, p.head_dim, 1}};
  fields[1].first = fields[0].end();
  fields.push_back({Kind::norm, fields[1].end(), 2, 16});
  return fields;
}

std::vector<RecordField> record_fields(int d, int index_bits) {
  const RecordField indices{RecordField::Kind::index, 0, d, index_bits};
  return {indices, {RecordField::Kind::norm, indices.end(), 1, 16}};
}

}  // namespace axelram
