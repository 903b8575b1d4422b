#include <cstdint>
#include <string>

#include "axelram/kernels/hadamard.hpp"
#include "device/launch.cuh"
#include "units/hadamard.cuh"

namespace axelram::kernels {
namespace {

constexpr unsigned kThreads = 128, kWarps = kThreads / 32;

/// A row lies on d / 16 lanes: 8 elements of its lower half and the 8 of its upper half beside
/// them. Bytes to and from memory per row: 2d and 2d, in pieces of 16; they are the limit.
template <int kDim>
AXELRAM_KERNEL void AXELRAM_BOUNDS(kThreads, 8)
    transform_rows(const std::uint16_t* in, std::size_t rows, float scale, std::uint16_t* out) {
  constexpr unsigned kLanes = kDim / 16, kRows = 32 / kLanes, kPieces = kDim / 8;
  const std::size_t row =
      (static_cast<std::size_t>(block_x()) * kWarps + warp_index()) * kRows + lane_index() / kLanes;
  const std::size_t at = row * kPieces + lane_index() % kLanes;
  Words4 halves[2] = {};
  if (row < rows) {
    AXELRAM_UNROLL
    for (unsigned h = 0; h < 2; ++h)
      halves[h] = load_streaming(reinterpret_cast<const Words4*>(in) + at + h * kLanes);
  }
  float x[16];
  AXELRAM_UNROLL
  for (int i = 0; i < 16; i += 2) floats_of_half2(halves[i / 8].w[i % 8 / 2], x[i], x[i + 1]);
  butterfly_stages<1, 16>(x);
  lane_stages<1, kLanes>(x);
  AXELRAM_UNROLL
  for (int i = 0; i < 16; i += 2)
    halves[i / 8].w[i % 8 / 2] = half2_of_floats(x[i] * scale, x[i + 1] * scale);
  if (row >= rows) return;
  AXELRAM_UNROLL
  for (unsigned h = 0; h < 2; ++h)
    store_vector(reinterpret_cast<Words4*>(out) + at + h * kLanes, halves[h]);
}

}  // namespace

void hadamard_rows(Stream& stream, int d, const std::uint16_t* in, std::size_t rows, float scale,
                   std::uint16_t* out) {
  Launch l{"hadamard_rows", "[" + std::to_string(rows) + ", " + std::to_string(d) + "]", 0};
  if (d != 32 && d != 64 && d != 128 && d != 256)
    throw DeviceError(l.text() + ": rows of 32, 64, 128 or 256 elements are right");
  const auto aligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  if (!aligned(in) || !aligned(out))
    throw DeviceError(l.text() + ": addresses must be multiples of 16 bytes");
  const std::size_t block_rows = kThreads / (static_cast<std::size_t>(d) / 16);
  l.grid_x = rows / block_rows + (rows % block_rows != 0);
  l.threads = kThreads;
  const auto run = d == 32    ? transform_rows<32>
                   : d == 64  ? transform_rows<64>
                   : d == 128 ? transform_rows<128>
                              : transform_rows<256>;
  launch(stream, l, run, in, rows, scale, out);
}

}  // namespace axelram::kernels
