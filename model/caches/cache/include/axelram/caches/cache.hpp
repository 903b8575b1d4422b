#pragma once

#include <memory>

#include "axelram/caches/axelram_setup.hpp"
#include "axelram/caches/memory_setup.hpp"
#include "axelram/caches/shape.hpp"
#include "axelram/caches/specification.hpp"
#include "axelram/fast.hpp"
#include "axelram/transformer/kv_cache.hpp"

namespace axelram::caches {

/// Reads the files that the specification names and makes the cache. Throws files::InputError for a
/// file that is invalid or does not fit the model. The head caches throw it for rows and queries
/// that they cannot represent, and are usable again after begin(). A new head cache is in the state
/// after begin(0).
std::unique_ptr<transformer::KvCache> make_cache(const Specification& specification,
                                                 const Shape& shape,
                                                 const UnitTable& units = fast_units());

/// Throws files::InputError if keys or values alone are of a macro that attends.
void reject_half_attention(const Specification& specification);

}  // namespace axelram::caches
