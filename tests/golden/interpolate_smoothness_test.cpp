#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "axelram/half.hpp"
#include "check.hpp"
#include "golden/trace_tensor.hpp"

namespace {

using Key = std::vector<double>;

/// The tensor `keys` of a bundled trace, in the order of the tokens.
std::vector<Key> bundled_keys(const std::string& name, std::size_t width) {
  std::vector<Key> keys;
  for (const auto& row : test::trace_tensor(test::bundled_trace(name), "keys", width)) {
    keys.emplace_back();
    for (const std::uint16_t element : row) keys.back().push_back(axelram::half_to_double(element));
  }
  return keys;
}

double norm(const Key& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

Key combined(double a, const Key& x, double b, const Key& y) {
  Key sum(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sum[i] = a * x[i] + b * y[i];
  return sum;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Changes from key to key, as shares of the norm (references.md#ecc-kv-cache, equation 26).
std::vector<double> changes_of(const std::vector<Key>& keys) {
  std::vector<double> changes;
  for (std::size_t t = 1; t < keys.size(); ++t)
    changes.push_back(norm(combined(1, keys[t], -1, keys[t - 1])) / norm(keys[t - 1]));
  return changes;
}

/// Distances of the midpoints of both neighbours (equation 29), as shares of the norm. Zero in a
/// key's place is off by 1.
std::vector<double> midpoint_errors(const std::vector<Key>& keys) {
  std::vector<double> errors;
  for (std::size_t t = 1; t + 1 < keys.size(); ++t)
    errors.push_back(norm(combined(1, keys[t], -1, combined(0.5, keys[t - 1], 0.5, keys[t + 1]))) /
                     norm(keys[t]));
  return errors;
}

double share_above(const std::vector<double>& values, double limit) {
  const auto count =
      std::count_if(values.begin(), values.end(), [&](double value) { return value > limit; });
  return static_cast<double>(count) / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("consecutive keys of the bundled trace differ by 97 % of their norm, not by 10 %") {
  const std::vector<Key> keys = bundled_keys("byte-llama-d128", 128);
  const std::vector<double> changes = changes_of(keys);
  CHECK(*std::min_element(changes.begin(), changes.end()) > 0.4);
  CHECK(share_above(changes, 1) == doctest::Approx(0.43).epsilon(0.03));
  CHECK(median(changes) == doctest::Approx(0.967).epsilon(0.005));
  CHECK(median(midpoint_errors(keys)) == doctest::Approx(0.838).epsilon(0.005));
}

TEST_CASE("consecutive keys of a pretrained model differ by 48 % of their norm, not by 10 %") {
  const std::vector<Key> keys = bundled_keys("smollm2-135m", 64);
  const std::vector<double> changes = changes_of(keys);
  CHECK(*std::min_element(changes.begin(), changes.end()) > 0.27);
  CHECK(share_above(changes, 1) < 0.005);
  CHECK(median(changes) == doctest::Approx(0.482).epsilon(0.005));
  CHECK(median(midpoint_errors(keys)) == doctest::Approx(0.335).epsilon(0.005));
}
