#pragma once

#include <string_view>

#include "axelram/checkpoints/checkpoint.hpp"

namespace axelram::caches {

/// The size of a model's KV cache. layers < 2^16, heads < 2^15: both select bit errors.
struct Shape {
  int layers = 0;
  int heads = 0;  ///< KV heads
  int head_dim = 0;
  double attention_scale = 0;        ///< of <q, k> in the softmax
  std::string_view checkpoint = {};  ///< path of the model, for its digest; "": not known
  /// The model, of which a memory takes gates, pairs and longest sequence; null: not known.
  const checkpoints::Checkpoint* model = nullptr;
};

inline Shape shape_of(const checkpoints::Architecture& a) {
  return {static_cast<int>(a.layers),
          static_cast<int>(a.kv_heads),
          static_cast<int>(a.head_dim),
          a.attention_scale(),
          {}};
}

/// The checkpoint must outlive the shape.
inline Shape shape_of(const checkpoints::Checkpoint& checkpoint) {
  Shape shape = shape_of(checkpoint.architecture);
  shape.checkpoint = checkpoint.path;
  shape.model = &checkpoint;
  return shape;
}

}  // namespace axelram::caches
