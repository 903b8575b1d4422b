#pragma once

#include <cstddef>
#include <cstdint>

#include "device/platform.cuh"

/// Rows of bytes at any address of device memory, staged by a block in shared memory at the same
/// address modulo 16, so that aligned parts move in vectors of 16 bytes. Rows without gaps move as
/// one piece, others one by one in words of 4 bytes.
namespace axelram::kernels {

struct RowArray {
  std::uint8_t* data;
  std::uint64_t stride;  ///< bytes between rows
  unsigned bytes;        ///< of a row, as far as it is staged
  unsigned pitch;        ///< bytes between rows in shared memory
  bool together;         ///< rows and what lies between them move as one piece

  /// Rows take rows * pitch + kMargin bytes of shared memory: they begin at any byte of the first
  /// 16, and the words after them may be read.
  static constexpr unsigned kMargin = 64;
  AXELRAM_HD unsigned shared_words(unsigned rows) const {
    return (rows * pitch + kMargin) / 16 * 4;
  }

  /// From row `first` on.
  AXELRAM_HD RowArray from_row(std::uint64_t first) const {
    RowArray rest = *this;
    rest.data += first * stride;
    return rest;
  }
  /// Byte of shared memory at which a row begins.
  AXELRAM_HD unsigned shared_offset(unsigned row) const {
    const auto address = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data));
    const unsigned gaps = together ? 0 : row * static_cast<unsigned>(stride);
    return row * pitch + ((address + gaps) & 15U);
  }
};

/// gap: rows with smaller gaps move together.
inline RowArray row_array(std::uint8_t* data, std::size_t stride, std::size_t bytes,
                          std::size_t gap) {
  const bool together = stride >= bytes && stride - bytes < gap;
  return {data, stride, static_cast<unsigned>(bytes),
          static_cast<unsigned>(together ? stride : (bytes + 31) / 16 * 16), together};
}

/// Calls bytewise(i) for the bytes i before the first and after the last multiple of `unit`, and
/// whole(i) for the units between, which begin at byte i; shared among `threads` threads.
template <class Bytewise, class Whole>
AXELRAM_DEVICE void for_span(std::uintptr_t address, unsigned bytes, unsigned unit, unsigned thread,
                             unsigned threads, Bytewise bytewise, Whole whole) {
  unsigned head = static_cast<unsigned>(-address) & (unit - 1);
  head = head < bytes ? head : bytes;
  const unsigned end = head + ((bytes - head) & ~(unit - 1));
  for (unsigned i = head + thread * unit; i < end; i += threads * unit) whole(i);
  if (thread < head) bytewise(thread);
  if (thread < bytes - end) bytewise(end + thread);
}

/// To shared memory; wait_async<0>() and sync_block() must follow.
AXELRAM_DEVICE void load_rows(const RowArray& from, unsigned rows, std::uint32_t* shared) {
  const auto span = [&](unsigned row, unsigned bytes, unsigned unit, unsigned thread,
                        unsigned threads) {
    const std::uint8_t* const global = from.data + row * from.stride;
    std::uint8_t* const to = reinterpret_cast<std::uint8_t*>(shared) + from.shared_offset(row);
    for_span(
        reinterpret_cast<std::uintptr_t>(global), bytes, unit, thread, threads,
        [&](unsigned i) { to[i] = global[i]; },
        [&](unsigned i) {
          if (unit == 16)
            copy_async16(to + i, global + i);
          else
            copy_async4(to + i, global + i);
        });
  };
  if (from.together) {
    span(0, (rows - 1) * from.pitch + from.bytes, 16, thread_index(), block_threads());
  } else {
    for (unsigned row = warp_index(); row < rows; row += block_threads() / 32)
      span(row, from.bytes, 4, lane_index(), 32);
  }
  commit_async();
}

/// From shared memory.
AXELRAM_DEVICE void store_rows(const RowArray& to, unsigned rows, const std::uint32_t* shared) {
  const auto span = [&](unsigned row, unsigned bytes, unsigned unit, unsigned thread,
                        unsigned threads) {
    std::uint8_t* const global = to.data + row * to.stride;
    const std::uint8_t* const from =
        reinterpret_cast<const std::uint8_t*>(shared) + to.shared_offset(row);
    for_span(
        reinterpret_cast<std::uintptr_t>(global), bytes, unit, thread, threads,
        [&](unsigned i) { global[i] = from[i]; },
        [&](unsigned i) {
          if (unit == 16)
            store_vector(reinterpret_cast<Words4*>(global + i),
                         *reinterpret_cast<const Words4*>(from + i));
          else
            *reinterpret_cast<std::uint32_t*>(global + i) =
                *reinterpret_cast<const std::uint32_t*>(from + i);
        });
  };
  if (to.together) {
    span(0, rows * to.pitch, 16, thread_index(), block_threads());
  } else {
    for (unsigned row = warp_index(); row < rows; row += block_threads() / 32)
      span(row, to.bytes, 4, lane_index(), 32);
  }
}

}  // namespace axelram::kernels
