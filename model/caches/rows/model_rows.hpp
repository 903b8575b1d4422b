#pragma once

#include <cstddef>
#include <string>

#include "axelram/caches/shape.hpp"
#include "axelram/files/errors.hpp"

namespace axelram::caches {

/// Complains of rows of a file that are of another model. rows: a HeadRows, QueryMoments or
/// PositionCenters.
template <class Rows>
void check_shape(const std::string& path, const Rows& rows, const Shape& shape) {
  if (rows.layers == static_cast<std::size_t>(shape.layers) &&
      rows.heads == static_cast<std::size_t>(shape.heads))
    return;
  throw files::InputError(path + ": it has " + std::to_string(rows.layers) + " layers of " +
                          std::to_string(rows.heads) + " KV heads, the model " +
                          std::to_string(shape.layers) + " of " + std::to_string(shape.heads) +
                          "; use a file made for this model");
}

}  // namespace axelram::caches
