#pragma once

#include <cstdint>

#include "axelram/kernels/write.hpp"
#include "common/general_row.cuh"
#include "common/reductions.cuh"
#include "units/query_rounding.cuh"
#include "units/record.cuh"
#include "write/vector_codebook.cuh"

/// Parts of the write path that a warp computes for a row: sums, copy and record.
namespace axelram::kernels {

/// S over the lanes of a vector.
template <unsigned kLanes = 32, int kCount>
AXELRAM_DEVICE std::uint64_t square_sum(const std::int32_t (&m)[kCount]) {
  std::uint64_t sum = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(m[i]) * m[i]);
  return sum_over_lanes<kLanes>(sum);
}

/// A over the lanes of a vector.
template <unsigned kLanes = 32, int kCount>
AXELRAM_DEVICE std::int64_t correlation(const MacroConstants& c, const std::int32_t (&y)[kCount],
                                        const std::uint8_t (&index)[kCount]) {
  const VectorCodebook<kLanes> codebook(c);
  std::int64_t sum = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i) sum += std::int64_t{y[i]} * codebook.centroid(index[i]);
  return static_cast<std::int64_t>(sum_over_lanes<kLanes>(static_cast<std::uint64_t>(sum)));
}

/// The copy of a rotated key, which is rounded as a query of X bits is.
template <int kCount>
AXELRAM_DEVICE void store_copy(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                               GeneralRow<kCount> key) {
  const int shift = round_row(key.m, c.exact_bits);
  AXELRAM_UNROLL
  for (int i = 0; i < kCount; ++i)
    if (out.copies != nullptr)
      out.copies[row * (32 * kCount) + place_in_row<kCount, 32>(i)] =
          static_cast<std::int16_t>(key.m[i]);
  if (out.copy_exponents != nullptr && lane_index() == 0)
    out.copy_exponents[row] = key.finite ? key.e + shift : 0;
}

/// The indices of a part of a record, `elements` of them, 8 to a lane. indices: one a byte, in
/// shared memory. Returns the bytes behind them.
AXELRAM_DEVICE std::uint8_t* store_indices(const std::uint8_t* indices, int elements,
                                           int index_bits, std::uint8_t* to) {
  const auto lane = static_cast<int>(lane_index());
  if (lane < elements / 8) {
    const std::uint32_t word = pack_eight(indices + 8 * lane, index_bits);
    for (int i = 0; i < index_bits; ++i)
      to[lane * index_bits + i] = static_cast<std::uint8_t>(word >> (8 * i));
  }
  return to + elements / 8 * index_bits;
}

/// A norm of a record, whose bits any lane knows that is asked for them: byte i in lane i.
AXELRAM_DEVICE std::uint8_t* store_norm(std::uint16_t half, std::uint8_t* to) {
  if (lane_index() < 2) to[lane_index()] = static_cast<std::uint8_t>(half >> (8 * lane_index()));
  return to + 2;
}

/// The record of a row of one part. indices: one a byte, in shared memory.
template <int kDim>
AXELRAM_DEVICE void store_record(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                                 const std::uint8_t* indices, std::uint16_t half) {
  std::uint8_t* const record =
      out.records + row * static_cast<std::size_t>((kDim * c.index_bits + 16) / 8);
  store_norm(half, store_indices(indices, kDim, c.index_bits, record));
}

/// The record of a row of two parts. second_indices: as indices.
template <int kPartDim>
AXELRAM_DEVICE void store_record(const MacroConstants& c, const WrittenRows& out, std::size_t row,
                                 const std::uint8_t* indices, const std::uint8_t* second_indices,
                                 std::uint16_t half, std::uint16_t second_half) {
  std::uint8_t* to = out.records + row * static_cast<std::size_t>(c.record_bytes());
  to = store_indices(indices, kPartDim, c.index_bits, to);
  to = store_indices(second_indices, kPartDim, c.second.index_bits, to);
  store_norm(second_half, store_norm(half, to));
}

}  // namespace axelram::kernels
