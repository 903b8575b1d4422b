#pragma once

#include <memory>

#include "axelram/caches/cache.hpp"

/// What each kind of store is made by.
namespace axelram::caches {

using Maker = std::shared_ptr<const transformer::Cache>;

Maker make(const Float32& store, const Shape& shape, const UnitTable& units);
Maker make(const Float16& store, const Shape& shape, const UnitTable& units);
Maker make(const Axelram& store, const Shape& shape, const UnitTable& units);
Maker make(const Int4& store, const Shape& shape, const UnitTable& units);

}  // namespace axelram::caches
