#pragma once

#include <cstddef>
#include <cstdint>

#include "axelram/kernels/constants.hpp"
#include "device/platform.cuh"

namespace axelram::kernels {

/// The codebook of a lane's vector, which lies on kLanes lanes: with a split, that of sub-vector 1
/// in the upper half of a warp.
template <unsigned kLanes>
class VectorCodebook {
 public:
  AXELRAM_DEVICE explicit VectorCodebook(const MacroConstants& c) : c_(&c) {}

  AXELRAM_DEVICE bool second() const { return kLanes < 32 && lane_index() >= kLanes; }
  /// Number of the vector among those of all rows.
  AXELRAM_DEVICE std::size_t number(std::size_t row) const {
    return row * (32 / kLanes) + (second() ? 1 : 0);
  }
  AXELRAM_DEVICE int index_bits() const {
    return second() ? c_->second.index_bits : c_->index_bits;
  }
  AXELRAM_DEVICE std::int32_t boundary(int j) const {
    return second() ? c_->second.boundaries[j] : c_->boundaries[j];
  }
  AXELRAM_DEVICE std::int32_t centroid(unsigned j) const {
    return second() ? c_->second.centroids[j] : c_->centroids[j];
  }
  /// Where the vector's words lie among those of all rows.
  AXELRAM_DEVICE std::size_t first_boundary(std::size_t row) const {
    const int before = second() ? (1 << c_->index_bits) - 1 : 0;
    return row * static_cast<std::size_t>(c_->boundary_count()) + static_cast<std::size_t>(before);
  }
  AXELRAM_DEVICE std::size_t first_level(std::size_t row) const {
    const int before = second() ? (c_->states != 0 ? 2 : 1) << c_->index_bits : 0;
    return row * static_cast<std::size_t>(c_->level_count()) + static_cast<std::size_t>(before);
  }

 private:
  const MacroConstants* c_;
};

}  // namespace axelram::kernels
