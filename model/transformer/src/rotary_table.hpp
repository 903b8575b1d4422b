#pragma once

#include <cstddef>
#include <vector>

#include "axelram/checkpoints/architecture.hpp"

namespace axelram::transformer {

/// Cosines and sines of the positions of one forward pass.
class RotaryTable {
 public:
  RotaryTable(const checkpoints::Architecture& architecture, std::size_t positions);

  /// Turns the pairs of one head in place: `head` of head_dim values, at `position`.
  void turn(std::size_t position, float* head) const;

 private:
  std::size_t pairs_;
  bool interleaved_;
  std::vector<float> cosines_, sines_;  ///< [positions, pairs], times the attention factor
};

}  // namespace axelram::transformer
