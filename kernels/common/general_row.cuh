#pragma once

#include "axelram/kernels/constants.hpp"
#include "units/align.cuh"
#include "units/center.cuh"
#include "units/hadamard.cuh"
#include "units/query_rounding.cuh"

/// A row on one warp, in integers: lane l holds elements l, l + 32, ..., kCount of them.
namespace axelram::kernels {

template <int kCount>
struct GeneralRow {
  std::int32_t m[kCount];  ///< aligned elements; zeros if the row is rejected
  int e;
  bool finite;
};

template <bool kBf16, int kCount>
AXELRAM_DEVICE void align_general(const std::uint16_t* x, const std::uint16_t* center,
                                  int significand_bits, GeneralRow<kCount>& row) {
  std::uint16_t bits[kCount], center_bits[kCount];
  std::int32_t largest = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    bits[i] = load(x + 32U * static_cast<unsigned>(i) + lane_index());
    center_bits[i] =
        center != nullptr ? load(center + 32U * static_cast<unsigned>(i) + lane_index()) : 0;
    const std::int32_t magnitude = bits[i] & 0x7FFF, other = center_bits[i] & 0x7FFF;
    largest = largest > magnitude ? largest : magnitude;
    largest = largest > other ? largest : other;
  }
  const int field = exponent_field<kBf16>(static_cast<std::uint32_t>(warp_max(largest)));
  const Alignment<kBf16> alignment(field, significand_bits);
  row.e = alignment.e;
  row.finite = field != Format<kBf16>::kMaxField;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const float shifted = center_element(alignment, float_of_element<kBf16>(bits[i]),
                                         float_of_element<kBf16>(center_bits[i])) +
                          kShifter;
    row.m[i] = row.finite ? static_cast<std::int32_t>(bits_of_float(shifted) - kShifterBits) : 0;
  }
}

/// ALIGN and, if `center` is not null, CENTER.
template <int kCount>
AXELRAM_DEVICE GeneralRow<kCount> align_row(const MacroConstants& c, const std::uint16_t* x,
                                            const std::uint16_t* center) {
  GeneralRow<kCount> row;
  if (c.bf16)
    align_general<true>(x, center, c.significand_bits, row);
  else
    align_general<false>(x, center, c.significand_bits, row);
  return row;
}

/// ROTATE.
template <int kCount>
AXELRAM_DEVICE void rotate(const std::int8_t* signs, std::int32_t (&m)[kCount]) {
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    if (load(signs + 32U * static_cast<unsigned>(i) + lane_index()) < 0) m[i] = -m[i];
  lane_stages<1, 32>(m);
  butterfly_stages<1, kCount>(m);
}

/// sh of a rotated row that is rounded to `bits`.
template <int kCount>
AXELRAM_DEVICE int row_shift(const std::int32_t (&y)[kCount], int bits) {
  std::int32_t largest = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const std::int32_t size = y[i] < 0 ? -y[i] : y[i];
    largest = largest > size ? largest : size;
  }
  return query_shift(static_cast<std::uint32_t>(warp_max(largest)), bits);
}

}  // namespace axelram::kernels
