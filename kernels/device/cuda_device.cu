#include <cuda_runtime.h>

#include <string>

#include "axelram/kernels/device.hpp"
#include "device/launch.cuh"

namespace axelram::kernels {
namespace {

std::string text_of(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + ", " + cudaGetErrorString(error);
}

/// The runtime keeps an error until it is asked for: the next call must not be blamed for it.
void forget_error() { static_cast<void>(cudaGetLastError()); }

bool means_no_device(cudaError_t error) {
  return error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ||
         error == cudaErrorSystemNotReady || error == cudaErrorDevicesUnavailable ||
         error == cudaErrorCompatNotSupportedOnDevice || error == cudaErrorSystemDriverMismatch;
}

void check(cudaError_t error, const std::string& what) {
  if (error == cudaSuccess) return;
  forget_error();
  if (means_no_device(error)) throw NoDevice(what + ": " + text_of(error));
  throw DeviceError(what + ": " + text_of(error));
}

void check(cudaError_t error, const std::string& what, const Stream& stream) {
  if (error == cudaSuccess) return;
  forget_error();
  throw DeviceError(what + " after " + stream.recent_launches() + ": " + text_of(error));
}

cudaStream_t of(const Stream& stream) { return static_cast<cudaStream_t>(stream.native()); }

}  // namespace

DeviceInfo device_info() {
  int device = 0;
  check(cudaGetDevice(&device), "looking for a CUDA device");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, device), "asking for the device's properties");
  DeviceInfo info;
  info.name = properties.name;
  info.compute_major = properties.major;
  info.minor = properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.shared_bytes = properties.sharedMemPerBlockOptin;
  check(cudaMemGetInfo(&info.free_bytes, &info.memory_bytes), "asking for the device's memory");
  check(cudaDriverGetVersion(&info.driver_version), "asking for the driver's version");
  check(cudaRuntimeGetVersion(&info.runtime_version), "asking for the runtime's version");
  return info;
}

Stream::Stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a CUDA stream");
  native_ = stream;
}

Stream::~Stream() { cudaStreamDestroy(of(*this)); }

void Stream::synchronize() { check(cudaStreamSynchronize(of(*this)), "waiting", *this); }

void* allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytes);
  if (error == cudaErrorMemoryAllocation) {
    forget_error();
    std::size_t free = 0, total = 0;
    static_cast<void>(cudaMemGetInfo(&free, &total));
    throw OutOfMemory(std::to_string(bytes) + " bytes of device memory; " + std::to_string(free) +
                      " are free");
  }
  check(error, "allocating " + std::to_string(bytes) + " bytes");
  return memory;
}

void release(void* memory) noexcept { static_cast<void>(cudaFree(memory)); }

void copy_to_device(Stream& stream, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, of(stream)), "copying to device",
        stream);
  // A copy from pageable memory may continue after the call; one from pinned memory does.
  check(cudaStreamSynchronize(of(stream)), "copying to device", stream);
}

void copy_to_host(Stream& stream, void* to, const void* from, std::size_t bytes) {
  if (bytes > 0)
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, of(stream)), "copying to host",
          stream);
  stream.synchronize();
}

void copy_on_device(Stream& stream, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, of(stream)), "copying", stream);
}

void fill_bytes(Stream& stream, void* to, int byte, std::size_t bytes) {
  if (bytes == 0) return;
  check(cudaMemsetAsync(to, byte, bytes, of(stream)), "filling memory", stream);
}

}  // namespace axelram::kernels
