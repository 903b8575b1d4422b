#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

/// encode_nuq_key_ref, or encode_nuq_value_ref where middles are null; d up to 256, a multiple
/// of 8. Four bytes may be written behind the indices before what belongs there is.
struct NuqEncoding {
  int bits;
  std::size_t d, outliers;
  const double* boundaries;
  const std::uint16_t *middles, *radii, *x;
  std::uint8_t* row;
};

/// Elements of KVQuant rows by their indices alone, d a multiple of 32: x is [row_count, d]. Of
/// keys middles and radii are given, FP16, d each; of values they are null, and each row has its
/// extremes behind the indices.
struct NuqRows {
  const std::uint8_t* rows;
  std::size_t row_count, row_bytes;
  std::size_t d;
  int bits;
  const float* levels;  ///< 16: those of the index modulo 2^bits
  const std::uint16_t *middles, *radii;
  float* x;
};

}  // namespace axelram
