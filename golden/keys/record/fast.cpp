#include "axelram/fast_keys.hpp"
#include "simd/level_units.hpp"

namespace axelram {
namespace {

void put_norm(std::uint16_t norm, std::uint8_t* bytes) {
  bytes[0] = static_cast<std::uint8_t>(norm & 0xFF);
  bytes[1] = static_cast<std::uint8_t>(norm >> 8);
}

/// Indices from a whole byte on; returns the byte behind them. count: a multiple of 8.
std::uint8_t* put_indices(const std::uint8_t* indices, int count, int index_bits,
                          std::uint8_t* record, SimdLevel level) {
  level_units(level, count % kLevelGroup == 0).pack(indices, count, index_bits, record);
  return record + count * index_bits / 8;
}

}  // namespace

void pack_record(const std::uint8_t* indices, std::uint16_t norm, int d, int index_bits,
                 std::uint8_t* record, SimdLevel level) {
  if (d % 8 != 0) return pack_record_ref(indices, norm, d, index_bits, record);
  put_norm(norm, put_indices(indices, d, index_bits, record, level));
}

void pack_parts(const RecordPart& first, const RecordPart& second, std::uint8_t* record,
                SimdLevel level) {
  if (first.count % 8 != 0 || second.count % 8 != 0) return pack_parts_ref(first, second, record);
  for (const RecordPart& part : {first, second})
    record = put_indices(part.indices, part.count, part.index_bits, record, level);
  put_norm(first.norm, record);
  put_norm(second.norm, record + 2);
}

}  // namespace axelram
