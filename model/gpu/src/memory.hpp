#pragma once

#include <cstddef>

#include "axelram/kernels/device.hpp"

namespace axelram::gpu {

/// Adds up device memory, and allocates it unless it only plans. Each owner of memory is
/// constructed once to plan and once for use, so that each size is stated once.
class Memory {
 public:
  explicit Memory(bool plans) : plans_(plans) {}

  template <class T>
  kernels::Buffer<T> take(std::size_t count) {
    add(count * sizeof(T));
    return plans_ ? kernels::Buffer<T>() : kernels::Buffer<T>(count);
  }
  /// Counts memory that is allocated elsewhere.
  void add(std::size_t bytes) {
    const std::size_t unit = bytes < kLarge ? kUnit : kLargeUnit;
    bytes_ += (bytes + unit - 1) / unit * unit;
  }

  bool plans() const { return plans_; }
  std::size_t bytes() const { return bytes_; }

 private:
  /// Granularity of allocations.
  static constexpr std::size_t kUnit = 512, kLarge = 1 << 20, kLargeUnit = 2 << 20;
  bool plans_;
  std::size_t bytes_ = 0;
};

}  // namespace axelram::gpu
