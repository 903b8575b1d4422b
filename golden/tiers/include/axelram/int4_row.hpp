#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/int4.hpp"

namespace axelram {

/// Shape of one INT4 row: d values with one scale per group of neighbours (bit-contract.md#int4).
struct Int4Layout {
  Int4Mode mode = Int4Mode::symmetric;
  std::size_t d = 0;      ///< even
  std::size_t group = 0;  ///< divides d

  std::size_t row_bytes() const { return d / 2; }
  std::size_t groups() const { return d / group; }
  bool has_minima() const { return mode == Int4Mode::asymmetric; }
};

/// Scales and minima of one row: FP16 bits, one per group. minima: null if symmetric.
struct Int4Scales {
  const std::uint16_t* scales;
  const std::uint16_t* minima;
};

/// q of value i of a row.
inline int int4_value(Int4Mode mode, const std::uint8_t* row, std::size_t i) {
  const int q = row[i / 2] >> (4 * (i % 2)) & 15;
  return mode == Int4Mode::symmetric && q >= 8 ? q - 16 : q;
}

/// quantize_int4_ref of one row of d finite floats. row: row_bytes(); scales and minima: groups();
/// minima stays unchanged if symmetric.
void quantize_int4_row_ref(const Int4Layout& layout, const float* x, std::uint8_t* row,
                           std::uint16_t* scales, std::uint16_t* minima);

/// dequantize_int4_ref of one row. x: d floats.
void dequantize_int4_row_ref(const Int4Layout& layout, const std::uint8_t* row,
                             const Int4Scales& scales, float* x);

/// One row with its erased values replaced as decode_int4_ref replaces them. A neighbour that does
/// not exist is a null record. repaired: row_bytes(); it must not overlap the inputs.
void repair_int4_row_ref(const Int4Layout& layout, const Code& code, ErasurePolicy policy,
                         const DecodedRecord& before, const DecodedRecord& current,
                         const DecodedRecord& after, const Int4Scales& scales,
                         std::uint8_t* repaired);

}  // namespace axelram
