#include "axelram/calibration/squat.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "axelram/half.hpp"
#include "check.hpp"

using namespace axelram;
using calibration::SquatOptions;

namespace {

using Matrix = std::vector<double>;  // [d, d]
using Long = std::vector<long double>;

/// Mean of q q^T of queries that have a mean and few strong directions.
Matrix random_moment(std::mt19937_64& rng, std::size_t d) {
  std::normal_distribution<double> normal;
  Matrix moment(d * d), directions(4 * d);
  for (double& element : directions) element = normal(rng);
  const std::size_t queries = 3 * d;
  for (std::size_t n = 0; n < queries; ++n) {
    std::vector<double> q(d);
    for (double& element : q) element = normal(rng);
    for (std::size_t k = 0; k < 4; ++k) {
      const double length = 3 * normal(rng) + 1;
      for (std::size_t i = 0; i < d; ++i) q[i] += length * directions[k * d + i];
    }
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        moment[i * d + j] += q[i] * q[j] / static_cast<double>(queries);
  }
  return moment;
}

/// -(A_BB)^-1 A_BF by elimination with pivots: what errors in channels below `before` ask of the
/// others. It is the contract's P[B, F] (P[F, F])^-1 without an inverse of A.
Long conditional(const Matrix& a, std::size_t d, std::size_t before) {
  const std::size_t rest = d - before, width = rest + before;
  Long rows(rest * width);
  for (std::size_t i = 0; i < rest; ++i) {
    for (std::size_t j = 0; j < rest; ++j) rows[i * width + j] = a[(before + i) * d + before + j];
    for (std::size_t j = 0; j < before; ++j) rows[i * width + rest + j] = -a[(before + i) * d + j];
  }
  for (std::size_t k = 0; k < rest; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < rest; ++i)
      if (std::abs(rows[i * width + k]) > std::abs(rows[pivot * width + k])) pivot = i;
    for (std::size_t j = 0; j < width; ++j) std::swap(rows[k * width + j], rows[pivot * width + j]);
    for (std::size_t i = 0; i < rest; ++i) {
      if (i == k) continue;
      const long double factor = rows[i * width + k] / rows[k * width + k];
      for (std::size_t j = k; j < width; ++j) rows[i * width + j] -= factor * rows[k * width + j];
    }
  }
  Long m(rest * before);
  for (std::size_t i = 0; i < rest; ++i)
    for (std::size_t j = 0; j < before; ++j)
      m[i * before + j] = rows[i * width + rest + j] / rows[i * width + i];
  return m;
}

/// M' and exponents are those of A, by the tolerance of the contract.
void check_matrices(const SquatFeedback& feedback, const Matrix& a) {
  const std::size_t d = feedback.d, g = feedback.channels;
  REQUIRE(feedback.exponents.size() == d / g - 1);
  std::size_t at = 0;
  for (std::size_t s = 1; s < d / g; ++s) {
    CASE(s);
    const Long m = conditional(a, d, s * g);
    long double largest = 0;
    for (std::size_t i = 0; i < d - s * g; ++i)
      for (std::size_t j = 0; j < g; ++j, ++at) {
        CASE(i, j);
        const long double exact = m[i * s * g + (s - 1) * g + j];
        largest = std::max(largest, std::abs(exact));
        const long double steps = std::ldexp(exact, -feedback.exponents[s - 1]);
        REQUIRE(std::abs(feedback.matrices[at] - steps) <= 1);
      }
    const long double steps = std::ldexp(largest, -feedback.exponents[s - 1]);
    CHECK(steps < 32768.5L);
    if (feedback.exponents[s - 1] > kLeastSquatExponent) CHECK(2 * steps > 32766.5L);
  }
  CHECK(at == feedback.matrices.size());
}

/// Orthonormal columns: those of the Sylvester matrix.
double column(std::size_t i, std::size_t j, std::size_t d) {
  return (__builtin_popcountll(i & j) % 2 == 0 ? 1.0 : -1.0) / std::sqrt(static_cast<double>(d));
}

/// I * diagonal + the sum of values_j * v_j v_j^T.
Matrix of_values(const std::vector<double>& values, double diagonal) {
  const std::size_t d = values.size();
  Matrix m(d * d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      m[i * d + j] = i == j ? diagonal : 0;
      for (std::size_t k = 0; k < d; ++k)
        m[i * d + j] += values[k] * column(i, k, d) * column(j, k, d);
    }
  return m;
}

double distance(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

struct Keys {
  KiviLayout layout;
  std::vector<std::uint16_t> x;
  std::vector<float> decoded;
  std::vector<double> scales;

  Keys(std::mt19937_64& rng, int bits, std::size_t d, std::size_t group)
      : layout(kivi_key_layout(bits, d, group)) {
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < group * d; ++i) x.push_back(double_to_half(normal(rng) + 0.5));
  }
  void code(const SquatFeedback& feedback) {
    std::vector<std::uint8_t> block(layout.bytes());
    encode_squat_ref(layout, feedback, x.data(), block.data());
    decoded.resize(x.size());
    decode_kivi_ref(layout, block.data(), decoded.data());
    scales.clear();
    for (std::size_t c = 0; c < layout.groups; ++c)
      scales.push_back(half_to_double(static_cast<std::uint16_t>(
          block[layout.code_bytes() + 2 * c] | block[layout.code_bytes() + 2 * c + 1] << 8)));
  }
  double error(std::size_t t, std::size_t c) const {
    return double{decoded[t * layout.groups + c]} - half_to_double(x[t * layout.groups + c]);
  }
  /// The sum of e^T A e.
  double cost(const Matrix& a) const {
    const std::size_t d = layout.groups;
    double sum = 0;
    for (std::size_t t = 0; t < layout.size; ++t)
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < d; ++j) sum += a[i * d + j] * error(t, i) * error(t, j);
    return sum;
  }
};

}  // namespace

TEST_CASE("SQuat: matrices of a whole second moment are those of elimination") {
  std::mt19937_64 rng(111);
  for (const std::size_t d : {32, 64, 128})
    for (std::size_t channels = 8; channels <= d; channels *= 2) {
      CASE(d, channels);
      const Matrix moment = random_moment(rng, d);
      const SquatOptions options{0.5, d, channels};
      const Matrix a = calibration::squat_weights(moment.data(), d, options);
      for (std::size_t i = 0; i < d * d; ++i)
        REQUIRE_AT(i, a[i] == 0.5 * moment[i] + (i % (d + 1) == 0 ? 1 : 0));
      check_matrices(calibration::squat_feedback(moment.data(), d, options), a);
    }
}

TEST_CASE(
    "SQuat: the largest eigenpairs weigh, negative ones do not, bases of equal ones are free") {
  constexpr std::size_t d = 64;
  // A few large values, eight that are equal, small ones, some below 0. No cut falls among equal
  // ones that are not 0.
  std::vector<double> values(d);
  for (std::size_t i = 0; i < d; ++i)
    values[i] = i < 4 ? 100.0 / static_cast<double>(i + 1) : i < 12 ? 5 : i < 50 ? 0.01 : -0.5;
  const Matrix moment = of_values(values, 0);
  for (const std::size_t rank :
       {std::size_t{1}, std::size_t{3}, std::size_t{12}, std::size_t{60}}) {
    CASE(rank);
    std::vector<double> kept(d);
    for (std::size_t i = 0; i < std::min<std::size_t>(rank, 50); ++i) kept[i] = 0.25 * values[i];
    const Matrix expected = of_values(kept, 1);
    const SquatOptions options{0.25, rank, 16};
    CHECK(distance(calibration::squat_weights(moment.data(), d, options), expected) < 1e-12);
    check_matrices(calibration::squat_feedback(moment.data(), d, options), expected);
  }
  // All of them: A = I + lambda * C as it is.
  for (double& value : values) value *= 0.25;
  CHECK(distance(calibration::squat_weights(moment.data(), d, {0.25, d, 16}),
                 of_values(values, 1)) < 1e-12);
}

TEST_CASE("SQuat: each run makes up for the errors before it as well as one can") {
  std::mt19937_64 rng(112);
  constexpr std::size_t d = 64, g = 16;
  for (const int bits : {2, 3, 4}) {
    CASE(bits);
    const Matrix moment = random_moment(rng, d);
    const SquatOptions options{0.5, 60, g};
    const Matrix a = calibration::squat_weights(moment.data(), d, options);
    Keys keys(rng, bits, d, 32);
    keys.code(calibration::squat_feedback(moment.data(), d, options));
    for (std::size_t s = 1; s < d / g; ++s) {
      CASE(s);
      const Long m = conditional(a, d, s * g);
      for (std::size_t t = 0; t < 32; ++t)
        for (std::size_t i = 0; i < g; ++i) {
          CASE(t, i);
          long double asked = 0;
          for (std::size_t j = 0; j < s * g; ++j) asked += m[i * s * g + j] * keys.error(t, j);
          const std::size_t channel = s * g + i;
          // Half a step, and the roundings of elements and matrices.
          CHECK(static_cast<double>(std::abs(keys.error(t, channel) - asked)) <=
                0.5 * keys.scales[channel] + 0.02);
        }
    }
  }
}

TEST_CASE("SQuat: errors weigh less than those of KIVI") {
  std::mt19937_64 rng(113);
  constexpr std::size_t d = 64;
  for (const int bits : {2, 3, 4})
    for (const std::size_t g : {8, 16, 32}) {
      double log_ratios = 0;
      for (int trial = 0; trial < 8; ++trial) {
        const Matrix moment = random_moment(rng, d);
        const SquatOptions options{0.5, 60, g};
        const Matrix a = calibration::squat_weights(moment.data(), d, options);
        Keys keys(rng, bits, d, 32);
        keys.code(calibration::squat_feedback(moment.data(), d, options));
        const double with = keys.cost(a);
        keys.code({d, d, {}, {}});
        log_ratios += std::log(with / keys.cost(a)) / 8;
      }
      CASE(bits, g);
      CHECK(log_ratios < -0.2);
    }
}

TEST_CASE("SQuat: runs of a small head, and options that are rejected") {
  std::mt19937_64 rng(114);
  const Matrix moment = random_moment(rng, 32);
  const SquatFeedback whole = calibration::squat_feedback(moment.data(), 32, {});
  CHECK(whole.channels == 32);
  CHECK(whole.matrices.empty());
  const auto reject = [&](const SquatOptions& options, const char* what) {
    CHECK_THROWS_WITH_AS(calibration::squat_feedback(moment.data(), 32, options),
                         doctest::Contains(what), std::invalid_argument);
  };
  reject({-0.1, 60, 8}, "strength");
  reject({std::numeric_limits<double>::quiet_NaN(), 60, 8}, "strength");
  reject({std::numeric_limits<double>::infinity(), 60, 8}, "strength");
  reject({0.5, 0, 8}, "rank");
  reject({0.5, 60, 0}, "runs of 0");
  reject({0.5, 60, 12}, "runs of 12");
  // No strength, no feedback.
  for (const std::int16_t element :
       calibration::squat_feedback(moment.data(), 32, {0, 32, 8}).matrices)
    CHECK_AT(element, element == 0);
}
