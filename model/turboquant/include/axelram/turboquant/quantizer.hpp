#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/turboquant/linear_map.hpp"
#include "axelram/turboquant/projection.hpp"
#include "axelram/turboquant/settings.hpp"

namespace axelram::turboquant {

/// A quantized vector.
struct Code {
  std::vector<std::uint8_t> indices;   ///< d, of the codebook
  std::vector<std::uint8_t> negative;  ///< d: 1 where S r is below 0; prod only
  double norm = 0;                     ///< factor of the codebook's unit vector
  double residual_norm = 0;            ///< |r|; prod only
};

/// Algorithms 1 and 2 of the paper (references.md#turboquant): a vector is rotated and each
/// coordinate replaced by the nearest centroid of a point on the sphere; `prod` does so with one
/// bit less and keeps the signs of the projected residual.
class Quantizer {
 public:
  /// bits: 1..4, of a coordinate, signs of a residual included. projection: of the rotated
  /// residual; its map is null without prod. d >= 16. Throws std::invalid_argument.
  Quantizer(Kind kind, int bits, Scale scale, std::shared_ptr<const LinearMap> rotation,
            Projection projection = {});

  std::size_t dim() const { return rotation_->dim(); }
  bool has_residual() const { return kind_ == Kind::prod; }
  /// Bits of an index: 0 .. 4.
  int index_bits() const { return index_bits_; }

  /// codes: one for each of `count` rows of d finite numbers.
  void quantize(const double* rows, std::size_t count, Code* codes) const;
  void reconstruct(const Code* codes, std::size_t count, double* rows) const;

 private:
  void take_levels(const double* rotated, Code* code) const;
  /// The factor that Code::norm holds.
  double scaled_norm(const double* rotated, double norm, const Code& code) const;

  Kind kind_;
  Scale scale_;
  int index_bits_;
  std::shared_ptr<const LinearMap> rotation_;
  Projection projection_;
  const Codebook* codebook_;
  double unit_;  ///< 1 / sqrt(d)
};

}  // namespace axelram::turboquant
