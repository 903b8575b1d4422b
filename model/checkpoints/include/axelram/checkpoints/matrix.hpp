#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/weights/type.hpp"

namespace axelram::checkpoints {

/// A weight matrix in a mapped file: `outputs` rows of `inputs` values, or columns instead of rows
/// if `transposed` (plain types only); `stride` values from one row (column) to the next, whole
/// blocks. Data may be unaligned.
struct Matrix {
  const std::uint8_t* data = nullptr;  ///< null: no matrix
  weights::Type type = weights::Type::f32;
  std::size_t outputs = 0, inputs = 0, stride = 0;
  bool transposed = false;
  /// Not 0: outputs are heads of this many channels, and the rows of channels i and i + head / 2,
  /// which rotary embedding turns together, lie side by side (GGUF files of Llama models).
  std::size_t paired_head = 0;

  /// Outputs first .. first + count - 1 as floats, see weights::to_floats: rows [count, inputs].
  void rows(std::size_t first, std::size_t count, float* rows) const;
  std::size_t bytes() const { return weights::bytes_of(type, outputs * inputs); }
};

/// Place of an output in rows that are stored by pairs (Matrix::paired_head).
constexpr std::size_t paired_place(std::size_t output, std::size_t head) {
  const std::size_t channel = output % head, half = head / 2;
  return output - channel + (channel < half ? 2 * channel : 2 * (channel - half) + 1);
}

}  // namespace axelram::checkpoints
