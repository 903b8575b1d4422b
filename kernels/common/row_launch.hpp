#pragma once

#include <string>

#include "device/launch.cuh"

namespace axelram::kernels {

/// One block of 256 threads for every row, which suits rows of hundreds of values and more.
constexpr unsigned kRowThreads = 256;

/// Throws DeviceError for rows that 32 bits do not count.
inline Launch row_launch(const char* kernel, std::size_t rows, std::size_t width) {
  Launch l{kernel,     "[" + std::to_string(rows) + ", " + std::to_string(width) + "]", rows, 1, 1,
           kRowThreads};
  if (width > 0x7FFFFFFF) throw DeviceError(l.text() + ": at most 2147483647 values of a row fit");
  return l;
}
inline Launch row_launch(const char* kernel, std::size_t rows, std::size_t heads, std::size_t d) {
  return {
      kernel,
      "[" + std::to_string(rows) + ", " + std::to_string(heads) + ", " + std::to_string(d) + "]",
      rows,
      1,
      1,
      kRowThreads};
}

}  // namespace axelram::kernels
