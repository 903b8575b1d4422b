#include <algorithm>
#include <string>

#include "axelram/kernels/faults.hpp"
#include "device/launch.cuh"
#include "units/codewords.cuh"
#include "units/fault.cuh"

namespace axelram::kernels {
namespace {

constexpr unsigned kThreads = 256;

struct FlipArguments {
  FaultCounters first;
  std::uint32_t max_word;  ///< threshold - 1
  std::uint8_t* stored;
  std::uint64_t rows, stride, bits;
  std::uint32_t words;       ///< of 32 bits, of a row's piece
  std::uint32_t reciprocal;  ///< 2^32 / words, rounded up
  std::uint32_t rows_of_block;
  unsigned long long* flipped;
};

/// XORs `bits` bits of a mask onto bytes that no other thread touches.
AXELRAM_DEVICE void flip(std::uint8_t* to, std::uint32_t mask, int bits, bool aligned) {
  if (mask == 0) return;
  if (aligned && bits == 32) {
    *reinterpret_cast<std::uint32_t*>(to) ^= mask;
    return;
  }
  AXELRAM_UNROLL
  for (int i = 0; i < 4; ++i)
    if ((mask >> (8 * i) & 0xFF) != 0) to[i] = static_cast<std::uint8_t>(to[i] ^ mask >> (8 * i));
}

/// A thread makes the mask of 32 bits from 8 counters: about 450 instructions for 4 bytes, of which
/// those without a flip are not even read, so that arithmetic is the limit at any rate of errors.
AXELRAM_KERNEL void AXELRAM_BOUNDS(kThreads, 4) flip_kernel(FlipArguments a) {
  const std::uint64_t first = std::uint64_t{block_x()} * a.rows_of_block;
  const auto here =
      static_cast<unsigned>(a.rows - first < a.rows_of_block ? a.rows - first : a.rows_of_block);
  const std::uint64_t first_word = std::uint64_t{block_y()} * a.words;
  const bool aligned = (reinterpret_cast<std::uintptr_t>(a.stored) | a.stride) % 4 == 0;
  std::uint32_t count = 0;
  for (unsigned item = thread_index(); item < here * a.words; item += kThreads) {
    const unsigned row =
        a.words == 1 ? item : static_cast<unsigned>(std::uint64_t{item} * a.reciprocal >> 32);
    const std::uint64_t word = first_word + (item - row * a.words);
    if (32 * word >= a.bits) continue;
    const std::uint64_t left = a.bits - 32 * word;
    const int bits = left < 32 ? static_cast<int>(left) : 32;
    const std::uint32_t mask = fault_mask(a.first, static_cast<std::uint32_t>(first + row),
                                          static_cast<std::uint32_t>(word), a.max_word) &
                               low_bits(bits);
    count += static_cast<std::uint32_t>(count_ones(mask));
    flip(a.stored + (first + row) * a.stride + 4 * word, mask, bits, aligned);
  }
  if (a.flipped == nullptr) return;
  for (unsigned lanes = 16; lanes > 0; lanes >>= 1) count += shuffle_xor(count, lanes);
  if (lane_index() == 0 && count != 0)
    atomic_add(a.flipped, static_cast<unsigned long long>(count));
}

}  // namespace

void flip_bits(Stream& stream, const FaultSite& first, std::uint64_t threshold,
               std::uint8_t* stored, std::size_t rows, std::size_t bits, std::size_t stride,
               unsigned long long* flipped) {
  if (rows == 0 || bits == 0 || threshold == 0) return;
  constexpr std::uint64_t kItems = 2048, kMaxWord = 0xFFFFFFFF;
  Launch l{"flip_bits",
           "[" + std::to_string(rows) + " rows of " + std::to_string(bits) + " bits]",
           0,
           1,
           1,
           kThreads,
           0};
  if (rows > 1 && stride < (bits + 7) / 8)
    throw DeviceError(l.text() + ": a stride of " + std::to_string(stride) + " bytes; rows of " +
                      std::to_string((bits + 7) / 8) + " bytes need as many");
  FlipArguments a{};
  a.first = fault_counters(first);
  a.max_word = static_cast<std::uint32_t>(std::min(threshold - 1, kMaxWord));
  a.stored = stored;
  a.rows = rows;
  a.stride = rows > 1 ? stride : 0;
  a.bits = bits;
  const std::uint64_t words = (bits + 31) / 32;
  a.words = static_cast<std::uint32_t>(std::min(words, kItems));
  a.reciprocal = static_cast<std::uint32_t>(((std::uint64_t{1} << 32) + a.words - 1) / a.words);
  a.rows_of_block = static_cast<std::uint32_t>(kItems / a.words);
  a.flipped = flipped;
  l.grid_x = (rows + a.rows_of_block - 1) / a.rows_of_block;
  l.grid_y = (words + a.words - 1) / a.words;
  launch(stream, l, flip_kernel, a);
}

}  // namespace axelram::kernels
