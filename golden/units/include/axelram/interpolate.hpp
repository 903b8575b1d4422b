#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/code.hpp"
#include "axelram/codewords.hpp"
#include "axelram/names.hpp"

namespace axelram {

/// Policy for elements that lie in an uncorrectable word.
enum class ErasurePolicy : std::uint8_t { keep, zero, interpolate };

template <>
struct EnumNames<ErasurePolicy> {
  static constexpr EnumRow<ErasurePolicy> rows[] = {
      {ErasurePolicy::keep, "keep", "the received bits"},
      {ErasurePolicy::zero, "zero", "the element nearest to zero"},
      {ErasurePolicy::interpolate, "interpolate",
       "the mean of the same element of both neighbours"}};
};

/// A record as decoded, with the statuses of its words (as decode_bulk_ref gives both). record ==
/// nullptr: there is none.
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
/// RNE to FP16 of the exact mean of two norms as read (read path step 4), at most 65504.
std::uint16_t mean_norm_ref(std::uint16_t a, std::uint16_t b);

/// True where bits first .. first + count - 1 of a decoded string touch an uncorrectable word.
bool erased_ref(const Code& code, const std::uint8_t* statuses, std::size_t first, int count);

/// The record of token t, its erased indices and norm replaced as `policy` says (ECC paper, section
/// 5.3 and equation 29; bit contract, Erasures): element by element, from tokens t-1 and t+1 as
/// decoded, never as repaired. At an end of the sequence, or where one neighbour's element is
/// itself erased, the other neighbour's is taken; where both are, the element is kept. repaired:
/// record_bytes(d, index_bits) bytes, overwritten; it must not overlap the inputs.
void repair_record_ref(const Code& code, ErasurePolicy policy, int d, int index_bits,
                       const DecodedRecord& before, const DecodedRecord& current,
                       const DecodedRecord& after, std::uint8_t* repaired);

}  // namespace axelram
