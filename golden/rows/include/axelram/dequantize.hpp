#pragma once

#include <cstdint>

#include "axelram/codebook.hpp"
#include "axelram/similarity.hpp"

namespace axelram {

/// Constants that turn records back to rows: words, signs and the scale of the centroid words.
struct Dequantizer {
  RecordWords words;
  const std::int8_t* signs;  ///< d, +1 or -1
  float scale;               ///< dequantization_scale()
};

/// FP32 RNE of score_scale (bit-contract.md#read-5).
inline float dequantization_scale(const CodebookRom& rom) {
  return static_cast<float>(rom.score_scale);
}

/// The row of a record: element i is FP32 RNE of s_i * (H_d C[idx])_i * sigma * 2^epsilon * scale
/// (bit-contract.md#dequantize). The product is exact in FP64, the only rounding is the last, and a
/// zero is +0. record: of one part, without a center; any bytes are legal. row: d results.
void dequantize_ref(const Dequantizer& of, const std::uint8_t* record, float* row);

}  // namespace axelram
