#pragma once

#include <cstddef>
#include <cstdint>

/// Baselines of the fast units, compiled with -O3 and the instruction set of the level under test.

namespace baselines {

/// scores = keys * query, keys row by row or column by column: Eigen's matrix-vector product.
void eigen_rows(const float* keys, const float* query, std::size_t count, int d, float* scores);
void eigen_columns(const float* keys, const float* query, std::size_t count, int d, float* scores);

/// Table lookup: one entry per element, from indices already unpacked to bytes and norms already
/// decoded, so that only the lookup is measured.
void table_lookup(const std::int32_t* table, const std::uint8_t* indices, const float* norms,
                  std::size_t count, int d, int levels, float* scores);

/// The three loops of the fast Walsh-Hadamard transform.
void plain_hadamard(std::int32_t* x, int d);

struct WriteInput {
  const std::uint16_t* center;  ///< null: none
  const std::int8_t* signs;
  const std::int32_t* boundaries;
  int d;
  int index_bits;
  int significand_bits;
  int fraction_bits;
  bool bf16;
};

/// One key through the *_ref units, from alignment to packing.
void reference_write(const WriteInput& input, const std::uint16_t* key, std::uint8_t* record);

}  // namespace baselines
