#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "axelram/kernels/device.hpp"

namespace axelram::engines {

using Rows = std::vector<std::size_t>;

/// The rows of `from`, each of `width` values, in this order.
template <class T>
std::vector<T> gather(const std::vector<T>& from, const Rows& rows, std::size_t width) {
  std::vector<T> all;
  all.reserve(rows.size() * width);
  for (const std::size_t row : rows)
    all.insert(all.end(), from.begin() + static_cast<std::ptrdiff_t>(row * width),
               from.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  return all;
}

/// Device memory for some rows of the tensors of a result, and the way back of what kernels wrote
/// there. The tensors must keep their sizes.
class DeviceRows {
 public:
  /// at_once: rows that kernels write before they are taken.
  DeviceRows(kernels::Stream& stream, std::size_t at_once) : stream_(stream), at_once_(at_once) {}

  /// Device memory for rows of a tensor that has `rows` rows; of an absent tensor for none.
  template <class T>
  T* of(std::vector<T>& tensor, std::size_t rows) {
    const std::size_t width = rows == 0 ? 0 : tensor.size() / rows * sizeof(T);
    columns_.push_back({kernels::Buffer<std::byte>(at_once_ * width), tensor.data(), width});
    return reinterpret_cast<T*>(columns_.back().device.data());
  }

  /// The first `count` rows become rows [first, first + count) of each tensor.
  void take(std::size_t first, std::size_t count) const {
    for (const Column& column : columns_)
      if (count * column.width != 0)
        kernels::copy_to_host(stream_, column.row(first), column.device.data(),
                              count * column.width);
  }

  /// Row i becomes row rows[i] of each tensor.
  void scatter(const Rows& rows) const {
    for (const Column& column : columns_) {
      if (column.width == 0) continue;
      const std::vector<std::byte> all = column.device.download(stream_);
      for (std::size_t i = 0; i < rows.size(); ++i)
        std::memcpy(column.row(rows[i]), &all[i * column.width], column.width);
    }
  }

 private:
  struct Column {
    kernels::Buffer<std::byte> device;
    void* host;
    std::size_t width;  ///< bytes of a row

    std::byte* row(std::size_t number) const {
      return static_cast<std::byte*>(host) + number * width;
    }
  };

  kernels::Stream& stream_;
  std::size_t at_once_;
  std::vector<Column> columns_;
};

}  // namespace axelram::engines
