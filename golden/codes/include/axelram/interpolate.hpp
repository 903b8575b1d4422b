#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/code.hpp"
#include "axelram/codewords.hpp"
#include "axelram/names.hpp"
#include "axelram/record.hpp"

namespace axelram {

/// Policy for elements that lie in an uncorrectable word (bit-contract.md#erasures).
enum class ErasurePolicy : std::uint8_t { keep, zero, interpolate };

template <>
struct EnumNames<ErasurePolicy> {
  static constexpr EnumRow<ErasurePolicy> rows[] = {
      {ErasurePolicy::keep, "keep", "the received bits"},
      {ErasurePolicy::zero, "zero", "the element nearest to zero"},
      {ErasurePolicy::interpolate, "interpolate",
       "the mean of the same element of both neighbours"}};
};

/// A record as decoded and the statuses of its words, as decode_bulk_ref returns them. record ==
/// nullptr: no such record.
struct DecodedRecord {
  const std::uint8_t* record = nullptr;
  const std::uint8_t* statuses = nullptr;
};

/// RNE of the mean of two indices, or of two INT4 values.
constexpr int mean_ref(int a, int b) {
  const int sum = a + b;
  const int half = sum >> 1;
  return (sum & 1) == 0 ? half : half + (half & 1);
}
/// RNE to FP16 of the exact mean of two norms as read, at most 65504 (bit-contract.md#norm-read).
std::uint16_t mean_norm_ref(std::uint16_t a, std::uint16_t b);

/// True if bits first .. first + count - 1 of a decoded string touch an uncorrectable word.
bool erased_ref(const Code& code, const std::uint8_t* statuses, std::size_t first, int count);

/// The record of token t with its erased indices and norms replaced by `policy`
/// (bit-contract.md#interpolation; references.md#ecc-kv-cache, section 5.3 and equation 29); an
/// erased residual sign is kept. Interpolation takes each element from tokens t-1 and t+1 as
/// decoded, never as repaired. If one neighbour does not exist or its element is erased, the other
/// neighbour's element is used. If neither is usable, the element is kept. fields: of the record
/// (record_fields). repaired: the bytes of the record, overwritten; it must not overlap the inputs.
void repair_record_ref(const Code& code, ErasurePolicy policy,
                       const std::vector<RecordField>& fields, const DecodedRecord& before,
                       const DecodedRecord& current, const DecodedRecord& after,
                       std::uint8_t* repaired);

}  // namespace axelram
