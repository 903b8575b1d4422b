#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/int4.hpp"

namespace axelram::caches {

/// One INT4 row of d values with a scale per group of neighbours (bit contract, INT4): the fast
/// twins of golden's functions on Int4Rows of one token.
struct Int4Layout {
  Int4Mode mode = Int4Mode::symmetric;
  std::size_t d = 0;      ///< even
  std::size_t group = 0;  ///< divides d

  std::size_t row_bytes() const { return d / 2; }
  std::size_t groups() const { return d / group; }
  bool has_minima() const { return mode == Int4Mode::asymmetric; }
};

/// What a row was quantized with: FP16 bits, one a group. minima: null where symmetric.
struct Int4Scales {
  const std::uint16_t* scales;
  const std::uint16_t* minima;
};

/// quantize_int4_ref of d finite floats. row: row_bytes(); scales and minima: groups(), minima left
/// alone where symmetric.
void quantize_int4(const Int4Layout& layout, const float* x, std::uint8_t* row,
                   std::uint16_t* scales, std::uint16_t* minima);

/// dequantize_int4_ref. x: d floats.
void dequantize_int4(const Int4Layout& layout, const std::uint8_t* row, const Int4Scales& scales,
                     float* x);

/// The row with its erased values replaced as decode_int4_ref replaces them. A neighbour that does
/// not exist is a null record.
void repair_int4(const Int4Layout& layout, const Code& code, ErasurePolicy policy,
                 const DecodedRecord& before, const DecodedRecord& current,
                 const DecodedRecord& after, const Int4Scales& scales, std::uint8_t* repaired);

}  // namespace axelram::caches
