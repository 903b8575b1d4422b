#pragma once

#include <memory>

#include "axelram/caches/specification.hpp"
#include "axelram/checkpoints/architecture.hpp"
#include "axelram/fast.hpp"
#include "axelram/transformer/store.hpp"

namespace axelram::caches {

/// What a cache must know of the model. layers < 2^16, heads < 2^15 (they place the faults).
struct Shape {
  int layers = 0;
  int heads = 0;  ///< KV heads
  int head_dim = 0;
};

inline Shape shape_of(const checkpoints::Architecture& a) {
  return {static_cast<int>(a.layers), static_cast<int>(a.kv_heads), static_cast<int>(a.head_dim)};
}

/// Reads the files that the specification names and makes what its stores share. Throws
/// files::InputError for a file that is not as it must be, or does not fit the model. Stores throw
/// it for rows and queries that they have no numbers for, and are of use again after begin(). A
/// store begins as if begin(0) had been called.
std::unique_ptr<transformer::Cache> make_cache(const Specification& specification,
                                               const Shape& shape,
                                               const UnitTable& units = fast_units());

}  // namespace axelram::caches
