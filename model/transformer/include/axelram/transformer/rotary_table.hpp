#pragma once

#include <cstddef>
#include <vector>

#include "axelram/checkpoints/architecture.hpp"

namespace axelram::transformer {

/// Cosines and sines of positions 0, 1, ...
class RotaryTable {
 public:
  RotaryTable(const checkpoints::Rotary& rotary, bool interleaved, std::size_t positions);
  /// Given ones: [positions, pairs].
  RotaryTable(std::vector<float> cosines, std::vector<float> sines, std::size_t pairs,
              bool interleaved);

  /// Appends what `positions` positions need. Elements of cosines() and sines() may move.
  void extend(std::size_t positions);

  /// Rotates the pairs of one head in place: `head` has head_dim values, at `position`.
  void turn(std::size_t position, float* head) const;

  /// [positions, pairs], times the attention factor; pair i is channels 2i and 2i + 1 if
  /// interleaved, otherwise i and i + pairs.
  const std::vector<float>& cosines() const { return cosines_; }
  const std::vector<float>& sines() const { return sines_; }
  std::size_t pairs() const { return pairs_; }
  bool interleaved() const { return interleaved_; }

 private:
  checkpoints::Rotary rotary_;
  std::size_t pairs_, positions_ = 0;
  bool interleaved_;
  std::vector<float> cosines_, sines_;
};

}  // namespace axelram::transformer
