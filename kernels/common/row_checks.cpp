#include "common/row_checks.hpp"

#include "axelram/kernels/device.hpp"
#include "axelram/kernels/write.hpp"

namespace axelram::kernels {

std::string shape_text(const char* name, const ElementRows& rows, int head_dim) {
  return std::string(name) + " [" + std::to_string(rows.tokens) + ", " +
         std::to_string(rows.heads) + ", " + std::to_string(head_dim) + "]";
}

void require(bool condition, const char* kernel, const std::string& shapes, const char* what) {
  if (!condition) throw DeviceError(std::string(kernel) + "(" + shapes + "): " + what);
}

void check_constants(const char* kernel, const MacroConstants& c) {
  Parameters p;
  p.head_dim = c.head_dim;
  p.kind = c.prod          ? QuantizerKind::prod
           : c.states != 0 ? QuantizerKind::trellis
                           : QuantizerKind::mse;
  p.scale = c.unbiased ? ScaleKind::unbiased : ScaleKind::norm;
  if (c.split) {
    p.split_high = c.index_bits;
    p.split_low = c.second.index_bits;
  } else {
    p.index_bits = c.index_bits + (c.prod ? 1 : 0);
  }
  p.significand_bits = c.significand_bits;
  p.boundary_fraction_bits = c.boundary_fraction_bits;
  p.query_bits = c.query_bits;
  p.centroid_bits = c.centroid_bits;
  p.exact_bits = c.exact_bits;
  p.centered = c.centered;
  p.balanced = c.balanced;
  if (c.states != 0) p.states = c.states;
  try {
    check(p);
  } catch (const std::invalid_argument& error) {
    throw DeviceError(std::string(kernel) + ": " + error.what());
  }
  require(c.log2_dim == p.log2_dim() && c.aligned_bits == p.aligned_bits(), kernel, "constants",
          "log2_dim and aligned_bits must follow from the parameters");
}

void require_one_part(const char* kernel, const MacroConstants& c) {
  require(!c.two_parts(), kernel, "constants", "there is no kernel for records of two parts");
}

void check_rotations(const char* kernel, const std::string& shapes, const MacroConstants& c,
                     const KeyRotations& rotations) {
  require(rotations.signs != nullptr, kernel, shapes, "no signs");
  require(!c.prod || rotations.residual_signs != nullptr, kernel, shapes, "no residual signs");
  require(!c.split || rotations.channels != nullptr, kernel, shapes, "no channels of the split");
  require(!c.balanced || rotations.balance != nullptr, kernel, shapes,
          "no exponents, though constants.balanced");
}

void check_rows(const char* kernel, const std::string& shapes, const ElementRows& rows) {
  if (rows.tokens == 0) return;
  require(rows.heads > 0, kernel, shapes, "at least one head is needed");
  require(rows.data != nullptr, kernel, shapes, "no elements");
  require(rows.tokens <= (kNoRow - 1) / rows.heads, kernel, shapes, "at most 4294967294 rows fit");
}

std::string check_keys(const char* kernel, const MacroConstants& c, const ElementRows& keys,
                       const KeyRotations& rotations, const std::uint16_t* center,
                       const WrittenRows& out) {
  check_constants(kernel, c);
  std::string shapes = shape_text("keys", keys, c.head_dim);
  check_rows(kernel, shapes, keys);
  if (keys.rows() == 0) return shapes;
  check_rotations(kernel, shapes, c, rotations);
  require(!c.centered || center != nullptr, kernel, shapes, "no center, though constants.centered");
  require(c.unbiased || !out.has_copies(), kernel, shapes, kUnbiasedCopies);
  require(!c.two_parts() || !out.has_copies(), kernel, shapes,
          "keys whose records have two parts have no copies");
  return shapes;
}

}  // namespace axelram::kernels
