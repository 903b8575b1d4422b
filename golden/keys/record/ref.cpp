#include <algorithm>

#include "axelram/bit_string.hpp"
#include "axelram/record.hpp"

namespace axelram {
namespace {

/// Appends fields of a record.
std::size_t put_all(const std::uint8_t* indices, int count, int index_bits, std::size_t position,
                    std::uint8_t* record) {
  for (int i = 0; i < count; ++i, position += static_cast<std::size_t>(index_bits))
    write_bits(record, position, index_bits, indices[i]);
  return position;
}

std::size_t get_all(const std::uint8_t* record, int count, int index_bits, std::size_t position,
                    std::uint8_t* indices) {
  for (int i = 0; i < count; ++i, position += static_cast<std::size_t>(index_bits))
    indices[i] = static_cast<std::uint8_t>(read_bits(record, position, index_bits));
  return position;
}

std::uint16_t norm_at(const std::uint8_t* record, std::size_t position) {
  return static_cast<std::uint16_t>(read_bits(record, position, 16));
}

}  // namespace

void pack_record_ref(const std::uint8_t* indices, std::uint16_t norm, int d, int index_bits,
                     std::uint8_t* record) {
  std::fill(record, record + record_bytes(d, index_bits), std::uint8_t{0});
  write_bits(record, put_all(indices, d, index_bits, 0, record), 16, norm);
}

void unpack_record_ref(const std::uint8_t* record, int d, int index_bits, std::uint8_t* indices,
                       std::uint16_t* norm) {
  *norm = norm_at(record, get_all(record, d, index_bits, 0, indices));
}

void pack_parts_ref(const RecordPart& first, const RecordPart& second, std::uint8_t* record) {
  std::fill(record, record + record_bytes(first, second), std::uint8_t{0});
  std::size_t position = put_all(first.indices, first.count, first.index_bits, 0, record);
  position = put_all(second.indices, second.count, second.index_bits, position, record);
  write_bits(record, position, 16, first.norm);
  write_bits(record, position + 16, 16, second.norm);
}

void unpack_parts_ref(const std::uint8_t* record, RecordPart* first, RecordPart* second) {
  std::size_t position = get_all(record, first->count, first->index_bits, 0, first->indices);
  position = get_all(record, second->count, second->index_bits, position, second->indices);
  first->norm = norm_at(record, position);
  second->norm = norm_at(record, position + 16);
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

std::vector<std::uint16_t> field_values(const RecordField& field, const std::uint8_t* record) {
  std::vector<std::uint16_t> values;
  for (std::size_t first = field.first; first < field.end();
       first += static_cast<std::size_t>(field.bits))
    values.push_back(static_cast<std::uint16_t>(read_bits(record, first, field.bits)));
  return values;
}

}  // namespace axelram
