#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/files/safetensors.hpp"

namespace axelram::checkpoints {

/// A weight matrix in a mapped file: `outputs` rows of `inputs` values of F32, F16 or BF16, or
/// columns instead of rows if `transposed`; `stride` values from one row (column) to the next. Data
/// may be unaligned.
struct Matrix {
  const std::uint8_t* data = nullptr;  ///< null: no matrix
  files::DataType type = files::DataType::f32;
  std::size_t outputs = 0, inputs = 0, stride = 0;
  bool transposed = false;

  /// Outputs first .. first + count - 1 as floats, exact: rows [count, inputs].
  void rows(std::size_t first, std::size_t count, float* rows) const;
  std::size_t bytes() const { return outputs * inputs * files::size_of(type); }
};

/// `count` values of F32, F16 or BF16 as floats, exact.
void to_floats(files::DataType type, const std::uint8_t* data, std::size_t count, float* values);

}  // namespace axelram::checkpoints
