#pragma once

#include <cstddef>

#include "axelram/kernels/device.hpp"

namespace axelram::gpu {

/// Adds up device memory, and takes it unless it only plans: what takes memory is constructed once
/// to plan and once to be used, so that there is one place where each size is known.
class Memory {
 public:
  explicit Memory(bool plans) : plans_(plans) {}

  template <class T>
  kernels::Buffer<T> take(std::size_t count) {
    add(count * sizeof(T));
    return plans_ ? kernels::Buffer<T>() : kernels::Buffer<T>(count);
  }
  /// Memory that something else takes.
  void add(std::size_t bytes) {
    const std::size_t unit = bytes < kLarge ? kUnit : kLargeUnit;
    bytes_ += (bytes + unit - 1) / unit * unit;
  }

  bool plans() const { return plans_; }
  std::size_t bytes() const { return bytes_; }

 private:
  /// What allocations are rounded up to.
  static constexpr std::size_t kUnit = 512, kLarge = 1 << 20, kLargeUnit = 2 << 20;
  bool plans_;
  std::size_t bytes_ = 0;
};

}  // namespace axelram::gpu
