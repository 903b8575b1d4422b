#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "axelram/kernels/device.hpp"
#include "device/platform.cuh"

namespace axelram::kernels {

/// Grid of a launch, and the texts of its error messages.
struct Launch {
  const char* kernel;  ///< its name
  std::string shapes;  ///< "keys [4096, 8, 128]"
  std::uint64_t grid_x, grid_y = 1, grid_z = 1;
  unsigned threads = 0;          ///< a multiple of 32, at most 1024
  std::size_t shared_bytes = 0;  ///< dynamic

  std::string text() const { return std::string(kernel) + "(" + shapes + ")"; }
};

/// Throws DeviceError, before the launch, for grids that no device accepts.
inline void check_limits(const Launch& l) {
  constexpr std::uint64_t kMaxX = 0x7FFFFFFF, kMaxYZ = 0xFFFF;
  if (l.grid_x > kMaxX || l.grid_y > kMaxYZ || l.grid_z > kMaxYZ)
    throw DeviceError(l.text() + ": a grid of " + std::to_string(l.grid_x) + " x " +
                      std::to_string(l.grid_y) + " x " + std::to_string(l.grid_z) +
                      " blocks; at most 2147483647 x 65535 x 65535 fit");
  if (l.threads == 0 || l.threads % 32 != 0 || l.threads > 1024)
    throw DeviceError(l.text() + ": blocks of " + std::to_string(l.threads) +
                      " threads; a multiple of 32 up to 1024 is right");
}

#ifdef __CUDACC__

/// Runs `kernel` over the grid, in order on `stream`; an empty grid is no work. Throws DeviceError
/// naming kernel, shapes and cause.
template <class... Parameters, class... Arguments>
void launch(Stream& stream, const Launch& l, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  if (l.grid_x == 0 || l.grid_y == 0 || l.grid_z == 0) return;
  check_limits(l);
  const auto check = [&](cudaError_t error) {
    if (error == cudaSuccess) return;
    static_cast<void>(cudaGetLastError());  // the next launch must not be blamed for it
    throw DeviceError(l.text() + ": " + cudaGetErrorName(error) + ", " + cudaGetErrorString(error));
  };
  constexpr std::size_t kWithoutAsking = 48 << 10;
  if (l.shared_bytes > kWithoutAsking)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(l.shared_bytes)));
  const dim3 grid(static_cast<unsigned>(l.grid_x), static_cast<unsigned>(l.grid_y),
                  static_cast<unsigned>(l.grid_z));
  kernel<<<grid, l.threads, l.shared_bytes, static_cast<cudaStream_t>(stream.native())>>>(
      std::forward<Arguments>(arguments)...);
  stream.remember(l.text());
  check(cudaGetLastError());
  static const bool wait = std::getenv("AXELRAM_CUDA_SYNC") != nullptr;
  if (wait) stream.synchronize();
}

#else

template <class... Parameters, class... Arguments>
void launch(Stream& stream, const Launch& l, void (*kernel)(Parameters...),
            Arguments&&... arguments) {
  if (l.grid_x == 0 || l.grid_y == 0 || l.grid_z == 0) return;
  check_limits(l);
  constexpr std::size_t kMaxShared = 227 << 10;
  if (l.shared_bytes > kMaxShared)
    throw DeviceError(l.text() + ": " + std::to_string(l.shared_bytes) +
                      " bytes of shared memory; at most " + std::to_string(kMaxShared) + " fit");
  stream.remember(l.text());
  const auto thread = [&] { kernel(arguments...); };
  const std::uint64_t blocks = l.grid_x * l.grid_y * l.grid_z;
  const std::uint64_t first = emulated::draw() % blocks;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint64_t at = (first + i) % blocks;
    const emulated::Block block{static_cast<unsigned>(at % l.grid_x),
                                static_cast<unsigned>(at / l.grid_x % l.grid_y),
                                static_cast<unsigned>(at / l.grid_x / l.grid_y),
                                l.threads,
                                static_cast<unsigned>(l.grid_x),
                                static_cast<unsigned>(l.grid_y)};
    try {
      emulated::run_block(block, l.shared_bytes, thread);
    } catch (const DeviceError& error) {
      throw DeviceError(l.text() + ": " + error.what());
    }
  }
  emulated::check_buffers();
}

#endif

}  // namespace axelram::kernels
