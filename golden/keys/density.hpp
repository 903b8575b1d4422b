#pragma once

#include <memory>

#include "axelram/parameters.hpp"
#include "numbers/double_double.hpp"

namespace axelram {

/// An unnormalised symmetric density f of unit variance with its integrals, in closed form or as
/// series of positive terms, to about 30 digits: enough to round centroids correctly. No
/// mathematical library is called. All arguments are at least 0 (bit-contract.md#densities).
class Density {
 public:
  virtual ~Density() = default;
  /// f(x).
  virtual DoubleDouble operator()(DoubleDouble x) const = 0;
  /// Integral of t f(t) over t > x.
  virtual DoubleDouble moment_above(DoubleDouble x) const = 0;
  /// Integral of f from 0 to x.
  virtual DoubleDouble mass_below(DoubleDouble x) const = 0;
  /// Integral of f over all x > 0.
  virtual DoubleDouble half_mass() const = 0;
  /// True if less than 1e-30 of the mass lies beyond x. The series of mass_below converges slowly
  /// there.
  virtual bool negligible_beyond(double x) const = 0;
};

/// The density that a codebook quantizes. Throws std::invalid_argument for a head_dim that the
/// density does not support.
std::unique_ptr<const Density> make_density(CodebookKind kind, int head_dim);

}  // namespace axelram
