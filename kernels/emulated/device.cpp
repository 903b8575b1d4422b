#include "axelram/kernels/device.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "emulated/machine.hpp"

namespace axelram::kernels {
namespace {

constexpr std::size_t kMemoryBytes = std::size_t{2} << 30;
constexpr std::size_t kMargin = 256;  ///< before and after a buffer
constexpr std::align_val_t kAlignment{256};

/// Sizes of the buffers that live, by address.
std::map<unsigned char*, std::size_t>& buffers() {
  static std::map<unsigned char*, std::size_t> map;
  return map;
}
std::size_t used = 0;
std::mutex guard;  ///< of both

bool margins_hold(const unsigned char* memory, std::size_t bytes) {
  for (std::size_t i = 1; i <= kMargin; ++i)
    if (memory[-static_cast<std::ptrdiff_t>(i)] != emulated::kPattern ||
        memory[bytes + i - 1] != emulated::kPattern)
      return false;
  return true;
}

}  // namespace

DeviceInfo device_info() {
  DeviceInfo info;
  info.name = "the CPU, thread by thread";
  info.compute_major = 9;
  info.multiprocessors = 4;
  info.memory_bytes = kMemoryBytes;
  const std::lock_guard lock(guard);
  info.free_bytes = kMemoryBytes - used;
  info.shared_bytes = 227 << 10;
  info.emulated = true;
  return info;
}

Stream::Stream() = default;
Stream::~Stream() = default;
void Stream::synchronize() { emulated::check_buffers(); }

void* allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::lock_guard lock(guard);
  if (bytes > kMemoryBytes - used)
    throw OutOfMemory(std::to_string(bytes) + " bytes of device memory; " +
                      std::to_string(kMemoryBytes - used) + " are free");
  auto* const region = static_cast<unsigned char*>(::operator new(bytes + 2 * kMargin, kAlignment));
  std::memset(region, emulated::kPattern, bytes + 2 * kMargin);
  buffers()[region + kMargin] = bytes;
  used += bytes;
  return region + kMargin;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  auto* const bytes = static_cast<unsigned char*>(memory);
  const std::lock_guard lock(guard);
  const auto found = buffers().find(bytes);
  used -= found->second;
  buffers().erase(found);
  ::operator delete(bytes - kMargin, kAlignment);
}

void copy_to_device(Stream&, void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
void copy_to_host(Stream& stream, void* to, const void* from, std::size_t bytes) {
  stream.synchronize();
  if (bytes > 0) std::memcpy(to, from, bytes);
}
void copy_on_device(Stream&, void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memmove(to, from, bytes);
}
void fill_bytes(Stream&, void* to, int byte, std::size_t bytes) {
  if (bytes > 0) std::memset(to, byte, bytes);
}

namespace emulated {
void check_buffers() {
  const std::lock_guard lock(guard);
  for (const auto& [memory, bytes] : buffers())
    if (!margins_hold(memory, bytes))
      throw DeviceError("a kernel wrote beside a buffer of " + std::to_string(bytes) + " bytes");
}
}  // namespace emulated

}  // namespace axelram::kernels
