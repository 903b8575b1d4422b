#include "axelram/files/result_shape.hpp"

namespace axelram::files {

std::size_t ResultShape::levels_of(std::size_t j) const {
  const Parameters part = split() ? parameters.part(static_cast<int>(j)) : parameters;
  return static_cast<std::size_t>(part.levels());
}

std::size_t ResultShape::level_count() const { return levels_of(0) + (split() ? levels_of(1) : 0); }

std::size_t ResultShape::boundary_count() const { return trellis() ? 0 : level_count() - parts(); }

std::size_t ResultShape::record_bytes() const {
  return static_cast<std::size_t>(parameters.record_bytes());
}

}  // namespace axelram::files
