#pragma once

#include "axelram/parameters.hpp"
#include "double_double.hpp"

namespace axelram {

/// An unnormalised symmetric unit-variance density f with its integrals, in closed form or as
/// series of positive terms, to about 30 digits: enough to round centroids correctly. No
/// mathematical library takes part. All arguments are at least 0.
class Density {
 public:
  Density(CodebookKind kind, int head_dim) : kind_(kind), head_dim_(head_dim) {}

  /// gaussian: exp(-x^2/2). beta: (1 - x^2/d)^((d-3)/2), the density of sqrt(d) times a coordinate
  /// of a uniform point on the sphere; its base stays in [0, 1], so that nothing can overflow.
  DoubleDouble operator()(DoubleDouble x) const {
    if (kind_ == CodebookKind::gaussian) return 1 / exp_series(x * x / 2);
    const DoubleDouble base = 1 - x * x / head_dim_;
    const int twice_power = head_dim_ - 3;
    DoubleDouble value = twice_power % 2 != 0 ? sqrt(base) : 1;
    for (int i = 0; i < twice_power / 2; ++i) value = value * base;
    return value;
  }

  /// Integral of t f(t) over t > x.
  DoubleDouble moment_above(DoubleDouble x) const {
    const DoubleDouble f = (*this)(x);
    if (kind_ == CodebookKind::gaussian) return f;
    return f * (1 - x * x / head_dim_) * (head_dim_ / DoubleDouble(head_dim_ - 1));
  }

  /// Integral of f from 0 to x. gaussian: x f(x) (1 + x^2/3 + x^4/15 + ..). beta, with z = x^2/d:
  /// x f(x) (1-z) 2F1(1, d/2; 3/2; z).
  DoubleDouble mass_below(DoubleDouble x) const {
    const bool gaussian = kind_ == CodebookKind::gaussian;
    const DoubleDouble square = x * x;
    const DoubleDouble z = gaussian ? square : square / head_dim_;
    DoubleDouble term = x * (*this)(x);
    if (!gaussian) term = term * (1 - z);
    DoubleDouble sum = term;
    for (int k = 0; term.high > sum.high * kNegligible; ++k) {
      const double factor = gaussian ? 1 : head_dim_ + 2.0 * k;
      term = term * (z * factor / (2 * k + 3));
      sum = sum + term;
    }
    return sum;
  }

  /// Integral of f over all x > 0. beta: sqrt(d) times the integral of cos^(d-2) over a quarter
  /// turn (Wallis).
  DoubleDouble half_mass() const {
    constexpr DoubleDouble kHalfPi{1.5707963267948966, 6.123233995736766e-17};
    if (kind_ == CodebookKind::gaussian) return sqrt(kHalfPi);
    const int power = head_dim_ - 2;
    DoubleDouble wallis = power % 2 == 0 ? kHalfPi : 1;
    for (int i = power % 2 + 2; i <= power; i += 2) wallis = wallis * (i - 1) / i;
    return sqrt(DoubleDouble(head_dim_)) * wallis;
  }

  /// Whether what lies beyond x is below 1e-30 of the mass; the series of mass_below converges
  /// slowly there.
  bool negligible_beyond(double x) const {
    return x * x > (kind_ == CodebookKind::gaussian ? 144 : 0.99 * head_dim_);
  }

 private:
  static constexpr double kNegligible = 1e-34;

  /// e^t for 0 <= t <= 72.
  static DoubleDouble exp_series(DoubleDouble t) {
    DoubleDouble sum = 1;
    DoubleDouble term = 1;
    for (int n = 1; term.high > sum.high * kNegligible; ++n) {
      term = term * t / n;
      sum = sum + term;
    }
    return sum;
  }

  CodebookKind kind_;
  int head_dim_;
};

}  // namespace axelram
