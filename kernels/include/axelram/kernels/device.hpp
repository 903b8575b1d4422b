#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace axelram::kernels {

/// A call, launch or size that the device rejects, or an error at run time. The message names the
/// kernels and shapes that may have caused it.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// No device answers; what() says why.
class NoDevice : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// An allocation exceeds the free device memory; what() states both in bytes.
class OutOfMemory : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

struct DeviceInfo {
  std::string name;
  int compute_major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  std::size_t memory_bytes = 0, free_bytes = 0;
  std::size_t shared_bytes = 0;                 ///< most dynamic shared memory of a block
  int driver_version = 0, runtime_version = 0;  ///< 13000 is CUDA 13.0
  bool emulated = false;                        ///< the kernels run thread by thread on the CPU
};

/// The current device. Throws NoDevice.
DeviceInfo device_info();

/// Work in order of submission. Errors of asynchronous work surface in synchronize(), or in a later
/// call. Set AXELRAM_CUDA_SYNC=1 in the environment and every launch is waited for, so that the
/// kernel that failed is named alone.
class Stream {
 public:
  Stream();  ///< throws NoDevice
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Waits for all work; throws DeviceError naming the launches since the last wait.
  void synchronize();
  /// cudaStream_t; null if emulated.
  void* native() const { return native_; }

  /// Called by launches: remembers "kernel(shapes)" for the message of an error.
  void remember(std::string launch);
  std::string recent_launches() const;

 private:
  void* native_ = nullptr;
  std::array<std::string, 8> recent_;
  std::size_t launches_ = 0;
};

/// Device memory by bytes. allocate throws OutOfMemory; 0 bytes give null.
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;
void copy_to_device(Stream& stream, void* to, const void* from, std::size_t bytes);
void copy_to_host(Stream& stream, void* to, const void* from, std::size_t bytes);  ///< waits
void copy_on_device(Stream& stream, void* to, const void* from, std::size_t bytes);
void fill_bytes(Stream& stream, void* to, int byte, std::size_t bytes);

/// An array in device memory, 256-byte aligned, not initialised.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size)
      : memory_(static_cast<T*>(allocate(size * sizeof(T)))), size_(size) {}
  Buffer(Stream& stream, std::span<const T> values) : Buffer(values.size()) {
    upload(stream, values);
  }
  Buffer(Stream& stream, const std::vector<T>& values)
      : Buffer(stream, std::span<const T>(values)) {}

  T* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }

  /// The host memory may be used again as soon as this returns.
  void upload(Stream& stream, std::span<const T> values) {
    if (values.size() > size_) throw DeviceError("upload of more values than the buffer holds");
    copy_to_device(stream, data(), values.data(), values.size_bytes());
  }
  void fill(Stream& stream, int byte) { fill_bytes(stream, data(), byte, size_ * sizeof(T)); }
  std::vector<T> download(Stream& stream) const {
    std::vector<T> values(size_);
    copy_to_host(stream, values.data(), data(), size_ * sizeof(T));
    return values;
  }

 private:
  struct Release {
    void operator()(T* memory) const noexcept { release(memory); }
  };
  std::unique_ptr<T, Release> memory_;
  std::size_t size_ = 0;
};

}  // namespace axelram::kernels
