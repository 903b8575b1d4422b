#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/parameters.hpp"

namespace axelram {

/// Bytes of one stored key: d indices of b bits and a 16-bit norm (bit-contract.md#write-5). d * b
/// must be a multiple of 8.
constexpr int record_bytes(int d, int index_bits) { return (d * index_bits + 16) / 8; }

/// Index i at bits i*b .. i*b + b - 1, then the 16 norm bits; bit 0 is the least significant bit of
/// byte 0 (bit-contract.md#write-5).
/// indices: d values below 2^index_bits; record: record_bytes(d, index_bits) bytes, overwritten.
void pack_record_ref(const std::uint8_t* indices, std::uint16_t norm, int d, int index_bits,
                     std::uint8_t* record);

/// Inverse of pack_record_ref; any bytes are legal.
void unpack_record_ref(const std::uint8_t* record, int d, int index_bits, std::uint8_t* indices,
                       std::uint16_t* norm);

/// One of the two parts of a record: sub-vectors of a split, or indices and residual signs
/// (bit-contract.md#two-parts).
struct RecordPart {
  std::uint8_t* indices;  ///< count values below 2^index_bits
  int count;
  int index_bits;  ///< 1..4
  std::uint16_t norm;
};

/// Bytes of a record of two parts, which are whole for all legal parameters.
constexpr int record_bytes(const RecordPart& first, const RecordPart& second) {
  return (first.count * first.index_bits + second.count * second.index_bits + 32) / 8;
}

/// The indices of both parts, then both norms. record: record_bytes(first, second), overwritten.
void pack_parts_ref(const RecordPart& first, const RecordPart& second, std::uint8_t* record);

/// Inverse of pack_parts_ref: sets indices and norm of both parts; any bytes are legal.
void unpack_parts_ref(const std::uint8_t* record, RecordPart* first, RecordPart* second);

/// A run of equal elements in a record. It begins and ends at whole bytes.
struct RecordField {
  enum class Kind : std::uint8_t { index, residual_sign, norm };
  Kind kind;
  std::size_t first;  ///< bit of the record
  int count;
  int bits;  ///< of an element

  std::size_t end() const { return first + static_cast<std::size_t>(count * bits); }
};

/// The fields of a record, from its first bit to its last: indices and residual signs before norms
/// (bit-contract.md#write-5, bit-contract.md#two-parts).
std::vector<RecordField> record_fields(const Parameters& parameters);
/// The same for d indices of `index_bits` bits and a norm.
std::vector<RecordField> record_fields(int d, int index_bits);

/// The elements of a field, in order.
std::vector<std::uint16_t> field_values(const RecordField& field, const std::uint8_t* record);

}  // namespace axelram
