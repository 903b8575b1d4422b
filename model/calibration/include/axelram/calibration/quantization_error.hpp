#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/simd.hpp"

namespace axelram::calibration {

/// Centered keys, each divided by its norm: step 1 of Algorithm 1 (references.md#axelram, section
/// V.A). A key that is all zero after centering has no direction and is left out: the macro stores
/// it without error.
class UnitKeys {
 public:
  /// keys: [count, d], finite; d: 32, 64, 128 or 256; center: d values, or null.
  UnitKeys(const float* keys, std::size_t count, std::size_t d, const double* center);

  std::size_t count() const { return count_; }  ///< without those left out
  std::size_t d() const { return d_; }
  std::size_t blocks() const;
  const float* block(std::size_t index) const;

 private:
  std::size_t d_, count_ = 0;
  std::vector<float> values_;
};

/// Steps 2b to 2d of Algorithm 1 for `vectors` sign vectors [vectors, d]: sums[v] = the sum over
/// all keys and elements of (y - Q(y))^2, where y = H_d diag(signs_v) k / |k| has about unit
/// variance and Q is the macro's quantizer: boundaries and centroids of the codebook, the norm left
/// exact. Divide by count() * d for the mean, which distortion() is for ideal keys. In floats, keys
/// added up in double; the same bits on every level. index_bits 2..4.
void quantization_errors(const UnitKeys& keys, const Codebook& codebook, const std::int8_t* signs,
                         std::size_t vectors, double* sums, SimdLevel level = simd_level());

}  // namespace axelram::calibration
