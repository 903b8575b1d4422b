#include "axelram/faults/intervals.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numeric>

namespace axelram::faults {
namespace {

constexpr double kZ = 1.959963984540054;  // 97.5 % quantile of the normal distribution

}  // namespace

Interval wilson(double events, double of) {
  if (of <= 0) return {0, 1};
  const double rate = events / of, z2 = kZ * kZ / of;
  const double middle = (rate + z2 / 2) / (1 + z2);
  const double half = std::sqrt(rate * (1 - rate) * z2 + z2 * z2 / 4) / (1 + z2);
  return {events <= 0 ? 0 : std::max(0.0, middle - half),
          events >= of ? 1 : std::min(1.0, middle + half)};
}

double student_quantile(double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), 0.975);
}

Mean mean_interval(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() == 1) return {mean, Interval::none()};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half = student_quantile(n - 1) * std::sqrt(squares / (n - 1) / n);
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
  return x >= n ? 1 : boost::math::ibetac(x + 1, n - x, std::clamp(p, 0.0, 1.0));
}

double binomial_above(double x, double n, double p) {
  if (x > n) return 0;
  return x <= 0 ? 1 : boost::math::ibeta(x, n - x + 1, std::clamp(p, 0.0, 1.0));
}

double binomial_p_value(double events, double of, double p) {
  return std::min(1.0, 2 * std::min(binomial_below(events, of, p), binomial_above(events, of, p)));
}

std::vector<bool> holm(const std::vector<double>& p_values, double alpha) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<bool> holds(p_values.size(), true);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (p_values[order[i]] > alpha / static_cast<double>(order.size() - i)) break;
    holds[order[i]] = false;
  }
  return holds;
}

}  // namespace axelram::faults
