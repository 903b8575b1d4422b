#include "axelram/faults/intervals.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using namespace axelram::faults;

doctest::Approx about(double value, double relative = 1e-9) {
  return doctest::Approx(value).epsilon(relative);
}

double choose(int n, int k) {
  double result = 1;
  for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

double below_by_sum(int x, int n, double p) {
  double sum = 0;
  for (int i = 0; i <= x; ++i) sum += choose(n, i) * std::pow(p, i) * std::pow(1 - p, n - i);
  return sum;
}

TEST_CASE("Wilson's interval at known values") {
  // Newcombe, Statistics in Medicine 17 (1998), table I: 81/263, 15/148, 0/20, 1/29.
  const auto check = [](double events, double of, double low, double high) {
    CASE(events);
    CHECK(wilson(events, of).low == doctest::Approx(low).epsilon(2e-3));
    CHECK(wilson(events, of).high == doctest::Approx(high).epsilon(2e-3));
  };
  check(81, 263, 0.2553, 0.3662);
  check(15, 148, 0.0624, 0.1605);
  check(0, 20, 0, 0.1611);
  check(1, 29, 0.0061, 0.1718);
  CHECK(wilson(0, 20).low == 0);
  CHECK(wilson(20, 20).high == 1);
  CHECK(wilson(0, 0).high == 1);
}

TEST_CASE("binomial tails equal their sums, and stay exact far out") {
  for (const int n : {1, 2, 7, 30, 60})
    for (const double p : {1e-6, 0.01, 0.3, 0.5, 0.99})
      for (int x = 0; x <= n; ++x) {
        CASE(n, p, x);
        CHECK(binomial_below(x, n, p) == about(below_by_sum(x, n, p)));
        CHECK(binomial_above(x, n, p) ==
              about(1 - (x == 0 ? 0 : below_by_sum(x - 1, n, p)), 1e-7).scale(1e-3));
      }
  // P(X >= 10) of 10 events, and tails of 10^9 events of probability 10^-9.
  CHECK(binomial_above(10, 10, 1e-20) == about(1e-200));
  CHECK(binomial_below(0, 1e9, 1e-9) == about(std::exp(-1.0), 1e-8));
  CHECK(binomial_above(8, 1e9, 1e-9) == about(1.0249196674641694e-05, 1e-7));
  CHECK(binomial_below(5e8, 1e9, 0.5) == about(0.5, 1e-4));
}

TEST_CASE("two-sided p-values at known values") {
  CHECK(binomial_p_value(7, 20, 0.5) == about(0.26317596435546875));  // R: binom.test(7, 20)
  CHECK(binomial_p_value(682, 925, 0.75) == doctest::Approx(0.3825).epsilon(0.03));
  CHECK(binomial_p_value(10, 20, 0.5) == 1);
  CHECK(binomial_p_value(0, 1000, 0) == 1);
  CHECK(binomial_p_value(1, 1000, 0) == 0);
  CHECK(binomial_p_value(1000, 1000, 1) == 1);
  CHECK(binomial_p_value(999, 1000, 1) == 0);
  CHECK(binomial_p_value(0, 1000, 0.01) == about(2 * std::pow(0.99, 1000)));
}

TEST_CASE("quantiles of Student's t at published values") {
  // 97.5 % quantiles with five decimals, as in common printed tables of the distribution.
  const std::pair<double, double> table[] = {
      {1, 12.70620}, {2, 4.30265}, {3, 3.18245},  {4, 2.77645},  {5, 2.57058},  {6, 2.44691},
      {7, 2.36462},  {9, 2.26216}, {10, 2.22814}, {30, 2.04227}, {99, 1.98422}, {120, 1.97993}};
  for (const auto& [freedom, quantile] : table)
    CHECK_AT(freedom, std::fabs(student_quantile(freedom) - quantile) < 5.1e-6);
  CHECK(student_quantile(1e9) == about(1.959963987, 1e-8));
  const Mean mean = mean_interval({1, 2, 3, 4, 5, 6, 7});
  CHECK((mean.interval.high - 4) / (std::sqrt(28 / 6.0) / std::sqrt(7.0)) ==
        doctest::Approx(2.44691).epsilon(2e-6));
}

TEST_CASE("means and medians with their intervals") {
  const Mean mean = mean_interval({1, 2, 3, 4, 5});
  CHECK(mean.value == 3);
  CHECK(mean.interval.high - 3 == doctest::Approx(2.77645 * std::sqrt(2.5 / 5)).epsilon(1e-5));
  // t quantile of 30 degrees of freedom: 2.0423.
  std::vector<double> values;
  for (int i = 0; i < 31; ++i) values.push_back(i % 2 == 0 ? 1 : -1);
  const double deviation = std::sqrt((31 - 1.0 / 31) / 30);
  const Mean alternating = mean_interval(values);
  CHECK((alternating.interval.high - alternating.value) / deviation * std::sqrt(31) ==
        doctest::Approx(2.0423).epsilon(1e-4));
  CHECK(mean_interval({4}).value == 4);
  CHECK_FALSE(mean_interval({4}).interval.known());
  CHECK(mean_interval({4, 4}).interval.known());

  // Of 10 values the 2nd and the 9th enclose the median with 97.9 %.
  const Mean median = median_interval({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  CHECK(median.value == 5.5);
  CHECK(median.interval.low == 2);
  CHECK(median.interval.high == 9);
  // The range of five covers 93.75 %, that of six 96.9 %.
  CHECK(median_interval({3, 1, 2}).value == 2);
  CHECK_FALSE(median_interval({5, 3, 1, 2, 4}).interval.known());
  CHECK_FALSE(median_interval({5, 3, 1, 2, 4}).interval.contains(3));
  CHECK(median_interval({5, 3, 1, 2, 4, 6}).interval.low == 1);
  CHECK(median_interval({5, 3, 1, 2, 4, 6}).interval.high == 6);
}

TEST_CASE("Holm rejects step by step") {
  CHECK_SAME(holm({0.01, 0.04, 0.03, 0.005}, 0.05), std::vector<bool>{false, true, true, false});
  CHECK_SAME(holm({0.04, 0.02}, 0.05), std::vector<bool>{false, false});
  CHECK_SAME(holm({0.5, 0.04}, 0.05), std::vector<bool>{true, true});
  CHECK(holm({}, 0.05).empty());
}

}  // namespace
