#pragma once

#include <cstddef>
#include <cstdint>

namespace axelram {

/// A query whose words fit 8-bit multipliers: |u_i| and |C_j| up to 127.
struct DotQuery {
  const std::int8_t* u;
  const std::int8_t* centroids;
  int head_dim;
  int index_bits;
  int states;  ///< of the trellis; 0: none
};

/// Packed records. Loads end before `readable_end`.
struct Records {
  const std::uint8_t* first;
  std::size_t stride;
  std::size_t count;
  const std::uint8_t* readable_end;
  // Bytes of later records that are fetched meanwhile, for each record.
  const std::uint8_t* ahead = nullptr;
  std::size_t ahead_stride = 0;
};

/// Inputs and outputs of the rounding of scores; norms as stored.
struct ScoreRounding {
  const std::uint16_t* norms;
  std::size_t count;
  int exponent;
  float* scores;
};

/// One term of scores of two parts: acc * sigma * factor * 2^(exponent + epsilon).
struct SumTerm {
  const std::int32_t* acc;
  int exponent;
  double factor;
};

/// Inputs and outputs of the rounding of sums of two terms.
struct SumRounding {
  SumTerm first, second;
  const std::uint8_t* norms;  ///< of the first key: 16 bits of each term
  std::size_t stride;         ///< bytes from the norms of a key to those of the next
  std::size_t count;          ///< at most 256
  float* scores;
};

}  // namespace axelram
