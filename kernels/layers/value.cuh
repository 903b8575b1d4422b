#pragma once

#include "axelram/kernels/weights.hpp"
#include "device/platform.cuh"

namespace axelram::kernels {

AXELRAM_HD float float_of_bfloat16(std::uint16_t bits) {
  return float_of_bits(static_cast<std::uint32_t>(bits) << 16);
}
/// RNE with overflow to infinity; NaN stays no number.
AXELRAM_HD std::uint16_t bfloat16_of_float(float x) {
  const std::uint32_t bits = bits_of_float(x);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

template <WeightType kType>
AXELRAM_HD float float_of_raw(std::uint16_t bits) {
  return kType == WeightType::f16 ? float_of_half(bits) : float_of_bfloat16(bits);
}
template <WeightType kType>
AXELRAM_HD std::uint16_t raw_of_float(float x) {
  return kType == WeightType::f16 ? half_of_float(x) : bfloat16_of_float(x);
}

/// Value i of an array of weights.
template <WeightType kType>
AXELRAM_HD float value_at(const void* values, std::size_t i) {
  if constexpr (kType == WeightType::f32)
    return static_cast<const float*>(values)[i];
  else
    return float_of_raw<kType>(static_cast<const std::uint16_t*>(values)[i]);
}

}  // namespace axelram::kernels
