#pragma once

#include <cstdint>

#include "device/platform.cuh"

namespace axelram::kernels {

/// 32 rows of kDim FP16 elements in shared memory, staged for a warp's tensor cores. Chunk c (16
/// bytes) of row r lies at chunk c ^ (r % 8) of its row, so that eight rows' chunks lie in eight
/// different groups of banks.
template <int kDim>
struct StagedTile {
  static constexpr int kRowBytes = 2 * kDim, kChunks = kRowBytes / 16;
  static constexpr int kBytes = 32 * kRowBytes;

  unsigned char* shared;  ///< kBytes of the warp's own, 128-byte aligned

  AXELRAM_DEVICE unsigned char* at(int row, int chunk) const {
    return shared + row * kRowBytes + ((chunk ^ (row & 7)) << 4);
  }

  /// Begins to copy 32 rows, row_stride bytes apart; rows from `valid` on become zeros instead.
  AXELRAM_DEVICE void stage(const std::uint8_t* rows, std::int32_t row_stride, int valid) const {
    const int lane = static_cast<int>(lane_index());
    constexpr int kRowsAtOnce = 32 / kChunks;
    const int first = lane / kChunks, chunk = lane % kChunks;
    const std::uint8_t* const from = rows + first * row_stride + 16 * chunk;
    if (valid >= 32) {
      AXELRAM_UNROLL
      for (int i = 0; i < kChunks; ++i)
        copy_async16(at(first + kRowsAtOnce * i, chunk), from + kRowsAtOnce * i * row_stride);
      return;
    }
    AXELRAM_ROLLED
    for (int i = 0; i < kChunks; ++i) {
      const int row = first + kRowsAtOnce * i;
      if (row < valid)
        copy_async16(at(row, chunk), from + kRowsAtOnce * i * row_stride);
      else
        store_vector(reinterpret_cast<Words4*>(at(row, chunk)), Words4{});
    }
  }

  /// A [16, 16] for mma: tokens 16m .. 16m + 15, dimensions 16s .. 16s + 15.
  AXELRAM_DEVICE void rows_fragment(int m, int s, std::uint32_t (&a)[4]) const {
    const int lane = static_cast<int>(lane_index());
    load_matrices(a, at(16 * m + lane % 16, 2 * s + lane / 16));
  }
  /// Its transpose's: dimensions 16j .. 16j + 15, tokens 16u .. 16u + 15.
  AXELRAM_DEVICE void columns_fragment(int j, int u, std::uint32_t (&a)[4]) const {
    const int lane = static_cast<int>(lane_index());
    load_matrices_transposed(a, at(16 * u + lane / 16 * 8 + lane % 8, 2 * j + lane / 8 % 2));
  }
};

}  // namespace axelram::kernels
