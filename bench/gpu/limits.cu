#include "device/launch.cuh"
#include "limits.hpp"

namespace bench {
namespace {

using namespace axelram::kernels;

constexpr unsigned kThreads = 256;
constexpr int kBlocks = 6;   ///< a multiprocessor's: 48 warps, which every architecture holds
constexpr int kVectors = 4;  ///< of 16 bytes, in flight of a thread
constexpr int kChains = 8, kRounds = 16;

AXELRAM_KERNEL void AXELRAM_BOUNDS(kThreads, 4)
    copy_vectors(const Words4* AXELRAM_RESTRICT from, Words4* AXELRAM_RESTRICT to,
                 std::size_t vectors) {
  const std::size_t first = std::size_t{block_x()} * kThreads * kVectors + thread_index();
  Words4 values[kVectors];
  AXELRAM_UNROLL
  for (int i = 0; i < kVectors; ++i)
    if (first + i * kThreads < vectors) values[i] = load_streaming(from + first + i * kThreads);
  AXELRAM_UNROLL
  for (int i = 0; i < kVectors; ++i)
    if (first + i * kThreads < vectors) store_vector(to + first + i * kThreads, values[i]);
}

/// A step is kRounds rounds of an FP32 and an integer instruction for every chain.
AXELRAM_KERNEL void AXELRAM_BOUNDS(kThreads, kBlocks)
    issue(int steps, std::uint32_t* AXELRAM_RESTRICT sink) {
  float x[kChains];
  std::uint32_t y[kChains];
  AXELRAM_UNROLL
  for (int i = 0; i < kChains; ++i) {
    x[i] = static_cast<float>(thread_index() + static_cast<unsigned>(i));
    y[i] = thread_index() * 3 + static_cast<unsigned>(i);
  }
  const float factor = 1.0F + static_cast<float>(block_x()) * 1e-9F;
  for (int step = 0; step < steps; ++step) {
    AXELRAM_UNROLL
    for (int round = 0; round < kRounds; ++round) {
      AXELRAM_UNROLL
      for (int i = 0; i < kChains; ++i) {
        x[i] = multiply_add(x[i], factor, 0.5F);
        y[i] += y[(i + 1) % kChains];
      }
    }
  }
  std::uint32_t sum = 0;
  AXELRAM_UNROLL
  for (int i = 0; i < kChains; ++i) sum ^= y[i] ^ bits_of_float(x[i]);
  if (sum == 0x12345678U) *sink = sum;  // never to be relied on: nothing may be optimised away
}

}  // namespace

void copy_by_kernel(Stream& stream, const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
  const std::size_t vectors = bytes / sizeof(Words4), block = std::size_t{kThreads} * kVectors;
  launch(stream,
         {"copy_vectors", "[" + std::to_string(bytes) + "]", (vectors + block - 1) / block, 1, 1,
          kThreads},
         copy_vectors, reinterpret_cast<const Words4*>(from), reinterpret_cast<Words4*>(to),
         vectors);
}

double issue_instructions(Stream& stream, int multiprocessors, int steps, std::uint32_t* sink) {
  const auto blocks = static_cast<std::uint64_t>(multiprocessors) * kBlocks;
  launch(stream, {"issue", "[" + std::to_string(steps) + "]", blocks, 1, 1, kThreads}, issue, steps,
         sink);
  return static_cast<double>(blocks) * (kThreads / 32) * steps * (2.0 * kChains * kRounds);
}

}  // namespace bench
