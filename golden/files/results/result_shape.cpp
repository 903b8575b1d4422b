#include "axelram/files/result_shape.hpp"

#include <stdexcept>

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

std::uint64_t extent_of(Axis axis, const ResultShape& shape) {
  switch (axis) {
    case Axis::tokens:
      return shape.tokens;
    case Axis::queries:
      return shape.queries;
    case Axis::elements:
      return shape.head_dim();
    case Axis::parts:
      return shape.parts();
    case Axis::boundaries:
      return shape.boundary_count();
    case Axis::levels:
      return shape.level_count();
    case Axis::record_bytes:
      return shape.record_bytes();
    case Axis::codeword_bytes:
      return shape.codeword_bytes;
    case Axis::copies:
      return shape.copies;
    case Axis::commands:
      return shape.commands.value_or(0);
  }
  throw std::logic_error("an axis has no extent");
}

}  // namespace axelram::files
