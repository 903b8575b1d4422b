#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "axelram/parameters.hpp"

namespace axelram {

/// An unnormalised symmetric unit-variance density. Only + - * / sqrt, which IEEE 754 rounds
/// exactly, so that no mathematical library takes part in the codebook.
class Density {
 public:
  Density(CodebookKind kind, int head_dim) : kind_(kind), head_dim_(head_dim) {}

  /// gaussian: exp(-x^2/2). beta: (1 - x^2/d)^((d-3)/2), the density of sqrt(d) times a coordinate
  /// of a uniform point on the sphere; its base stays in [0, 1], so that nothing can overflow.
  double operator()(double x) const {
    return kind_ == CodebookKind::gaussian ? 1 / exp_series(x * x / 2) : beta(x);
  }

  /// Where integration ends: the end of the support, or where what lies beyond is below 1e-31 of
  /// the mass.
  double end() const {
    constexpr double kTail = 12;
    return kind_ == CodebookKind::gaussian ? kTail : std::min(kTail, std::sqrt(head_dim_ * 1.0));
  }

 private:
  /// e^t for 0 <= t <= 72; every term is positive, so the sum is accurate to a few ulps.
  static double exp_series(double t) {
    double sum = 1;
    double term = 1;
    for (int n = 1; term > sum * 1e-18; ++n) {
      term *= t / n;
      sum += term;
    }
    return sum;
  }

  double beta(double x) const {
    const double base = std::max(0.0, 1 - x * x / head_dim_);
    const int twice_power = head_dim_ - 3;
    double value = twice_power % 2 != 0 ? std::sqrt(base) : 1;
    for (int i = 0; i < twice_power / 2; ++i) value *= base;
    return value;
  }

  CodebookKind kind_;
  int head_dim_;
};

/// Integral of f over [a, b]: composite Gauss-Legendre rule, 10 nodes on panels of at most 1/2. The
/// truncation error is below 1e-20 for the densities above.
template <typename Function>
double integrate(const Function& f, double a, double b) {
  struct Node {
    double x;
    double weight;
  };
  constexpr std::array<Node, 5> kNodes{{{0.148874338981631210884826, 0.295524224714752870173893},
                                        {0.433395394129247190799266, 0.269266719309996355091227},
                                        {0.679409568299024406234327, 0.219086362515982043995535},
                                        {0.865063366688984510732097, 0.149451349150580593145776},
                                        {0.973906528517171720077964, 0.066671344308688137593569}}};
  const int panels = 1 + static_cast<int>((b - a) * 2);
  const double half = (b - a) / panels / 2;
  double sum = 0;
  for (int panel = 0; panel < panels; ++panel) {
    const double middle = a + half * (2 * panel + 1);
    for (const Node& node : kNodes)
      sum += node.weight * (f(middle - half * node.x) + f(middle + half * node.x));
  }
  return sum * half;
}

}  // namespace axelram
