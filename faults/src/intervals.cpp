#include "axelram/faults/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace axelram::faults {
namespace {

constexpr double kZ = 1.959963984540054;  // 97.5 % of the normal distribution

/// Continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's
/// method; converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::fabs(d) < tiny ? tiny : d);
  double result = d;
  const auto step = [&](double factor) {
    d = 1 + factor * d;
    c = 1 + factor / c;
    d = 1 / (std::fabs(d) < tiny ? tiny : d);
    c = std::fabs(c) < tiny ? tiny : c;
    result *= d * c;
    return std::fabs(d * c - 1);
  };
  for (int m = 1; m < 1'000'000; ++m) {
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    if (step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))) < 1e-15) break;
  }
  return result;
}

/// I_x(a, b), with 1 - x given apart because it may not survive the subtraction.
double incomplete_beta(double a, double b, double x, double one_minus_x) {
  if (x <= 0) return 0;
  if (one_minus_x <= 0) return 1;
  // The gamma functions are large and nearly cancel: long double keeps nine digits at n = 10^9. The
  // smaller of x and 1 - x is the one that was not rounded.
  const long double small_x = x, small_rest = one_minus_x;
  const long double log_x = x < 0.5 ? std::log(small_x) : std::log1p(-small_rest);
  const long double log_rest = x < 0.5 ? std::log1p(-small_x) : std::log(small_rest);
  const long double log_front = std::lgamma(static_cast<long double>(a) + b) -
                                std::lgamma(static_cast<long double>(a)) -
                                std::lgamma(static_cast<long double>(b)) + a * log_x + b * log_rest;
  const auto front = static_cast<double>(std::exp(log_front));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, one_minus_x) / b;
}

/// 97.5 % quantile of Student's t, from the normal one (Abramowitz and Stegun 26.7.5); the first
/// degrees of freedom, where the series is poor, from its table.
double student(std::size_t freedom) {
  constexpr double table[] = {12.706, 4.303, 3.182, 2.776, 2.571};
  if (freedom <= 5) return table[freedom - 1];
  const auto v = static_cast<double>(freedom);
  const double z = kZ, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

}  // namespace

Interval wilson(double events, double of) {
  if (of <= 0) return {0, 1};
  const double rate = events / of, z2 = kZ * kZ / of;
  const double middle = (rate + z2 / 2) / (1 + z2);
  const double half = std::sqrt(rate * (1 - rate) * z2 + z2 * z2 / 4) / (1 + z2);
  return {events <= 0 ? 0 : std::max(0.0, middle - half),
          events >= of ? 1 : std::min(1.0, middle + half)};
}

Mean mean_interval(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() == 1) return {mean, Interval::none()};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = student(values.size() - 1) * std::sqrt(squares / (n - 1) / n);
  return {mean, {mean - half, mean + half}};
}

Mean median_interval(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const double median = (values[(n - 1) / 2] + values[n / 2]) / 2;
  std::size_t skip = 0;  // P(fewer than `skip` + 1 values below the median) <= 2.5 %
  while (binomial_below(static_cast<double>(skip), static_cast<double>(n), 0.5) <= 0.025) ++skip;
  if (skip == 0) return {median, Interval::none()};
  return {median, {values[skip - 1], values[n - skip]}};
}

double binomial_below(double x, double n, double p) {
  if (x < 0) return 0;
  return x >= n ? 1 : incomplete_beta(n - x, x + 1, 1 - p, p);
}

double binomial_above(double x, double n, double p) {
  if (x > n) return 0;
  return x <= 0 ? 1 : incomplete_beta(x, n - x + 1, p, 1 - p);
}

double binomial_p_value(double events, double of, double p) {
  return std::min(1.0, 2 * std::min(binomial_below(events, of, p), binomial_above(events, of, p)));
}

std::vector<bool> holm(const std::vector<double>& p_values, double alpha) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<bool> stands(p_values.size(), true);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (p_values[order[i]] > alpha / static_cast<double>(order.size() - i)) break;
    stands[order[i]] = false;
  }
  return stands;
}

}  // namespace axelram::faults
