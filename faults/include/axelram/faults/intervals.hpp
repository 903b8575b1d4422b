#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace axelram::faults {

struct Interval {
  double low = 0;
  double high = 0;
  /// The interval of too few values: unknown, contains nothing.
  static Interval none() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan};
  }
  bool known() const { return low <= high; }
  bool contains(double value) const { return low <= value && value <= high; }
};

/// 95 % score interval of a proportion, `events` of `of` (references.md#wilson). Both may be
/// fractional, which serves effective sample sizes. {0, 1} for of == 0.
Interval wilson(double events, double of);

/// 97.5 % quantile of Student's t, `freedom` >= 1 degrees of freedom (references.md#student).
double student_quantile(double freedom);

/// Mean of `values` and its 95 % interval by Student's t; no interval for fewer than two values.
struct Mean {
  double value = 0;
  Interval interval = Interval::none();
};
Mean mean_interval(const std::vector<double>& values);

/// Median of `values` and its distribution-free 95 % interval between two order statistics. No
/// interval for fewer than six values, because their whole range covers less.
Mean median_interval(std::vector<double> values);

/// P(X <= x) and P(X >= x) of a binomial variable. x may be fractional (effective sizes); p is
/// limited to 0..1.
double binomial_below(double x, double n, double p);
double binomial_above(double x, double n, double p);

/// Two-sided p-value of `events` of `of` if each has probability p: twice the smaller tail, at
/// most 1. Exact for whole numbers.
double binomial_p_value(double events, double of, double p);

/// Holm's step-down procedure at family-wise level `alpha` (references.md#holm). Entry i is false
/// if hypothesis i is rejected.
std::vector<bool> holm(const std::vector<double>& p_values, double alpha);

}  // namespace axelram::faults
