#pragma once

#include <cstddef>

#include "axelram/kernels/constants.hpp"
#include "units/align.cuh"
#include "units/balance.cuh"
#include "units/center.cuh"
#include "units/hadamard.cuh"
#include "units/query_rounding.cuh"

/// A row on one warp, in integers. A vector that is rotated by itself lies on kLanes neighbouring
/// lanes: on all 32 the row, on 16 each sub-vector of a split (bit-contract.md#split). Lane l of
/// them holds elements l, l + kLanes, ... of the vector, kCount of them.
namespace axelram::kernels {

/// Where a lane's vector begins in the row.
template <int kCount, unsigned kLanes>
AXELRAM_DEVICE unsigned first_of_vector() {
  return lane_index() / kLanes * (static_cast<unsigned>(kCount) * kLanes);
}
/// Where element i of a lane lies in the row. All of a lane's are constants apart: one address.
template <int kCount, unsigned kLanes>
AXELRAM_DEVICE std::size_t place_in_row(int i) {
  const std::size_t first = first_of_vector<kCount, kLanes>() + lane_index() % kLanes;
  return first + kLanes * static_cast<std::size_t>(i);
}

template <int kCount>
struct GeneralRow {
  std::int32_t m[kCount];  ///< aligned elements; zeros if the row is rejected
  int e;
  bool finite;
};

template <bool kBf16, unsigned kLanes, bool kBalanced, int kCount>
AXELRAM_DEVICE void align_general(const std::uint16_t* x, const std::uint16_t* center,
                                  const std::uint16_t* channels, const RowPowers<kBalanced>& powers,
                                  int significand_bits, GeneralRow<kCount>& row) {
  std::uint16_t bits[kCount], center_bits[kCount];
  int power[kCount] = {};
  std::int32_t largest = kBalanced ? kLeastField : 0;  // field with its power, or magnitude
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    std::size_t at = place_in_row<kCount, kLanes>(i);
    if (kLanes < 32) at = load(channels + at);
    bits[i] = load(x + at);
    center_bits[i] = center != nullptr ? load(center + at) : 0;
    std::int32_t own = bits[i] & 0x7FFF, other = center_bits[i] & 0x7FFF;
    if constexpr (kBalanced) {
      power[i] = powers.power(at);
      own = balanced_field<kBf16>(static_cast<std::uint32_t>(own), power[i]);
      other = center == nullptr ? own : balanced_field<kBf16>(static_cast<std::uint32_t>(other), 0);
    }
    largest = largest > own ? largest : own;
    largest = largest > other ? largest : other;
  }
  largest = warp_max(largest);
  int field = 0;
  if constexpr (kBalanced)
    field = largest;
  else
    field = exponent_field<kBf16>(static_cast<std::uint32_t>(largest));
  row.finite = field != (kBalanced ? kNotFinite : Format<kBf16>::kMaxField);
  const auto alignment = [&] {
    if constexpr (kBalanced)
      return Alignment<kBf16>(aligned_exponent<kBf16>(row.finite ? field : 1, significand_bits));
    else
      return Alignment<kBf16>(field, significand_bits);
  }();
  row.e = alignment.e;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) {
    const float shifted = center_element(alignment, float_of_element<kBf16>(bits[i]),
                                         float_of_element<kBf16>(center_bits[i]),
                                         kBalanced ? power_of_two(power[i]) : 1.0F) +
                          kShifter;
    row.m[i] = row.finite ? static_cast<std::int32_t>(bits_of_float(shifted) - kShifterBits) : 0;
  }
}

/// BALANCE, ALIGN and, if `center` is not null, CENTER, of all elements of the row together.
/// channels: the element of x at each place of the row, with a split.
template <int kCount, unsigned kLanes = 32, bool kBalanced = false>
AXELRAM_DEVICE GeneralRow<kCount> align_row(const MacroConstants& c, const std::uint16_t* x,
                                            const std::uint16_t* center,
                                            const std::uint16_t* channels,
                                            const RowPowers<kBalanced>& powers) {
  GeneralRow<kCount> row;
  if (c.bf16)
    align_general<true, kLanes>(x, center, channels, powers, c.significand_bits, row);
  else
    align_general<false, kLanes>(x, center, channels, powers, c.significand_bits, row);
  return row;
}

/// ROTATE. signs: of the row.
template <unsigned kLanes = 32, int kCount>
AXELRAM_DEVICE void rotate(const std::int8_t* signs, std::int32_t (&m)[kCount]) {
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    if (load(signs + place_in_row<kCount, kLanes>(i)) < 0) m[i] = -m[i];
  lane_stages<1, kLanes>(m);
  butterfly_stages<1, kCount>(m);
}

/// sh of a rotated row that is rounded to `bits`: one for both sub-vectors.
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

/// The shift of a rotated row, whose elements become those of a query of `bits`, or of a copy.
template <int kCount>
AXELRAM_DEVICE int round_row(std::int32_t (&y)[kCount], int bits) {
  const int shift = row_shift(y, bits);
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) y[i] = round_query_element(y[i], shift, bits);
  return shift;
}

}  // namespace axelram::kernels
