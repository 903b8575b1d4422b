#include "axelram/checkpoints/matrix.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace axelram::checkpoints {
namespace {

template <class T>
T load(const std::uint8_t* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

/// Shifted into the fields of an FP32 and scaled by 2^112, subnormals come out right as well; a
/// field of all ones is infinity or NaN and keeps its meaning.
float from_half(std::uint16_t half) {
  const auto magnitude = static_cast<std::uint32_t>(half & 0x7FFF) << 13;
  const auto sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t special = magnitude >= 0x0F800000U ? 0x7F800000U : 0U;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

}  // namespace

void to_floats(files::DataType type, const std::uint8_t* data, std::size_t count, float* values) {
  switch (type) {
    case files::DataType::f32:
      if (count != 0) std::memcpy(values, data, count * sizeof(float));
      return;
    case files::DataType::f16:
      for (std::size_t i = 0; i < count; ++i)
        values[i] = from_half(load<std::uint16_t>(data + 2 * i));
      return;
    case files::DataType::bf16:
      for (std::size_t i = 0; i < count; ++i)
        values[i] = std::bit_cast<float>(
            static_cast<std::uint32_t>(load<std::uint16_t>(data + 2 * i)) << 16);
      return;
    default:
      throw std::logic_error("weights are F32, F16 or BF16");
  }
}

void Matrix::rows(std::size_t first, std::size_t count, float* rows) const {
  const std::size_t size = files::size_of(type);
  if (!transposed) {
    for (std::size_t o = 0; o < count; ++o)
      to_floats(type, data + (first + o) * stride * size, inputs, rows + o * inputs);
    return;
  }
  std::vector<float> column(count);
  for (std::size_t i = 0; i < inputs; ++i) {
    to_floats(type, data + (i * stride + first) * size, count, column.data());
    for (std::size_t o = 0; o < count; ++o) rows[o * inputs + i] = column[o];
  }
}

}  // namespace axelram::checkpoints
