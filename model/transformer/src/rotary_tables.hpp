#pragma once

#include <cstddef>

#include "axelram/checkpoints/architecture.hpp"
#include "axelram/transformer/rotary_table.hpp"

namespace axelram::transformer {

/// The rotations of all layers of a model.
class RotaryTables {
 public:
  /// Of no position.
  explicit RotaryTables(const checkpoints::Architecture& a)
      : a_(a), global_(a.rotary, interleaved(a), 0), local_(a.local_rotary, interleaved(a), 0) {}

  /// As RotaryTable::extend.
  void extend(std::size_t positions) {
    global_.extend(positions);
    local_.extend(positions);
  }
  /// Stays where it is as long as this object. Null if the positions of the model are learned.
  const RotaryTable* of(std::size_t layer) const {
    if (a_.positions == checkpoints::Positions::learned) return nullptr;
    return a_.has_local_rotary(layer) ? &local_ : &global_;
  }

 private:
  static bool interleaved(const checkpoints::Architecture& a) {
    return a.positions == checkpoints::Positions::rotary_interleaved;
  }

  const checkpoints::Architecture& a_;
  RotaryTable global_, local_;
};

}  // namespace axelram::transformer
