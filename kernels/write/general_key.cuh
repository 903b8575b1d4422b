#pragma once

#include <cstdint>

#include "axelram/kernels/write.hpp"
#include "common/general_row.cuh"
#include "units/query_rounding.cuh"
#include "units/record.cuh"

/// Parts of the write path that a warp computes for a row: sums, copy and record.
namespace axelram::kernels {

AXELRAM_DEVICE std::uint64_t sum_over_warp(std::uint64_t sum) {
  for (unsigned mask = 1; mask < 32; mask *= 2)
    sum += std::uint64_t{shuffle_xor(static_cast<std::uint32_t>(sum >> 32), mask)} << 32 |
           shuffle_xor(static_cast<std::uint32_t>(sum), mask);
  return sum;
}

/// S over a warp.
template <int kCount>
AXELRAM_DEVICE std::uint64_t square_sum(const std::int32_t (&m)[kCount]) {
  std::uint64_t sum = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(m[i]) * m[i]);
  return sum_over_warp(sum);
}

/// A over a warp.
template <int kCount>
AXELRAM_DEVICE std::int64_t correlation(const MacroConstants& c, const std::int32_t (&y)[kCount],
                                        const std::uint8_t (&index)[kCount]) {
  std::int64_t sum = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) sum += std::int64_t{y[i]} * c.centroids[index[i]];
  return static_cast<std::int64_t>(sum_over_warp(static_cast<std::uint64_t>(sum)));
}

/// The copy of a rotated key, which is rounded as a query of X bits is.
template <int kCount>
AXELRAM_DEVICE void store_copy(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                               const GeneralRow<kCount>& key) {
  const int shift = row_shift(key.m, c.exact_bits);
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    if (out.copies != nullptr)
      out.copies[row * (32 * kCount) + lane_index() + 32U * static_cast<unsigned>(i)] =
          static_cast<std::int16_t>(round_query_element(key.m[i], shift, c.exact_bits));
  if (out.copy_exponents != nullptr && lane_index() == 0)
    out.copy_exponents[row] = key.finite ? key.e + shift : 0;
}

/// The record of a row. indices: one a byte, in shared memory.
template <int kDim>
AXELRAM_DEVICE void store_record(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                                 const std::uint8_t* indices, std::uint16_t half) {
  const unsigned lane = lane_index();
  const auto bits = static_cast<unsigned>(c.index_bits);
  std::uint8_t* const record =
      out.records + row * static_cast<std::size_t>((kDim * c.index_bits + 16) / 8);
  if (lane < kDim / 8) {
    const std::uint32_t word = pack_eight(indices + 8 * lane, c.index_bits);
    for (unsigned i = 0; i < bits; ++i)
      record[lane * bits + i] = static_cast<std::uint8_t>(word >> (8 * i));
  }
  if (lane < 2) record[kDim / 8 * bits + lane] = static_cast<std::uint8_t>(half >> (8 * lane));
}

}  // namespace axelram::kernels
