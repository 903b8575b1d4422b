#pragma once

#include <memory>

#include "axelram/caches/specification.hpp"
#include "axelram/checkpoints/architecture.hpp"
#include "axelram/fast.hpp"
#include "axelram/transformer/kv_cache.hpp"

namespace axelram::caches {

/// The size of a model's KV cache. layers < 2^16, heads < 2^15: both select bit errors.
struct Shape {
  int layers = 0;
  int heads = 0;  ///< KV heads
  int head_dim = 0;
};

inline Shape shape_of(const checkpoints::Architecture& a) {
  return {static_cast<int>(a.layers), static_cast<int>(a.kv_heads), static_cast<int>(a.head_dim)};
}

/// Reads the files that the specification names and makes the cache. Throws files::InputError for a
/// file that is invalid or does not fit the model. The head caches throw it for rows and queries
/// that they cannot represent, and are usable again after begin(). A new head cache is in the state
/// after begin(0).
std::unique_ptr<transformer::KvCache> make_cache(const Specification& specification,
                                                 const Shape& shape,
                                                 const UnitTable& units = fast_units());

}  // namespace axelram::caches
