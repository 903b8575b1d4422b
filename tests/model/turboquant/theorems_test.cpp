#include <numbers>

#include "check.hpp"
#include "pairs.hpp"

/// The paper's theorems (references.md#turboquant) over fresh signs for each pair of key and query
/// and a fresh dense matrix for every 500 pairs. Bounds are three standard errors of the means of
/// those 500.

using namespace test;

namespace {

constexpr std::size_t kPairs = 100000;
constexpr double kPi = std::numbers::pi;

/// Slope of the line from <q, k> to its estimates at three cosines, for each pair.
Doubles slopes(const Products& products) {
  constexpr double kCosines[] = {0, 0.3, 0.9};
  constexpr double kMean = 0.4, kSpread = 0.42;  // sum of squared distances from the mean
  Doubles all(products.along.size(), 1.0);
  for (const double cosine : kCosines) {
    const Doubles errors = products.errors(cosine);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += errors[i] * (cosine - kMean) / kSpread;
  }
  return all;
}

/// Slope 1 and no bias at any cosine.
void check_unbiased(const Products& products) {
  const Moments slope = moments_of_batches(slopes(products), kBatch);
  CHECK(std::abs(slope.mean - 1) < 3 * slope.mean_error);
  for (const double cosine : {0.0, 0.3, 0.9}) {
    CASE(cosine);
    const Moments error = moments_of_batches(products.errors(cosine), kBatch);
    CHECK(std::abs(error.mean) < 3 * error.mean_error);
  }
}

/// Variance of estimates at <q, k> = 0 that theory expects to terms of a relative 1 / d.
void check_variance(const Products& products, double expected, int d) {
  const Moments error = moments_of_batches(products.errors(0), kBatch);
  CHECK(std::abs(error.variance - expected) < 3 * error.variance_error + expected * 2 / d);
}

void check_prod(std::uint64_t seed, const MakeProjection& projection, double constant) {
  Random random(seed);
  for (const int d : {128, 512}) {
    const std::vector<Products> all =
        products_of(random, Kind::prod, Scale::norm, d, kPairs, projection);
    for (int bits = 1; bits <= 4; ++bits) {
      CASE(d, bits);
      const Products& products = all[static_cast<std::size_t>(bits - 1)];
      check_unbiased(products);
      const double variance = constant * distortion_of(d, bits - 1) / d;
      check_variance(products, variance, d);
      // The bound of Theorem 2 lacks a factor pi: as printed it does not hold, with it it does.
      const double printed = std::sqrt(3) * kPi / 2 * std::pow(4, -bits) / d;
      CHECK(variance < 2 * kPi * printed);
      CHECK(variance > std::pow(4, -bits) / d);
      if (constant > 1) CHECK(variance > 2 * printed);
    }
  }
}

}  // namespace

TEST_CASE("prod with a Gaussian projection: slope 1, variance of theory over 10^5 pairs") {
  check_prod(1, gaussian_of, kPi / 2);
}

TEST_CASE("prod with an orthogonal projection: slope 1, variance of theory over 10^5 pairs") {
  check_prod(2, orthogonal_of, kPi / 2 - 1);
}

TEST_CASE("prod with a Hadamard projection: a bias of O(1/d) over 10^5 pairs") {
  Random random(3);
  for (const int d : {128, 512}) {
    const std::vector<Products> all =
        products_of(random, Kind::prod, Scale::norm, d, kPairs, hadamard_of);
    for (int bits = 1; bits <= 4; ++bits) {
      CASE(d, bits);
      const Products& products = all[static_cast<std::size_t>(bits - 1)];
      check_variance(products, (kPi / 2 - 1) * distortion_of(d, bits - 1) / d, d);
      const Moments error = moments(products.errors(0.6));
      MESSAGE("bias at cosine 0.6: " << error.mean << " +- " << error.mean_error);
      CHECK(error.mean < 0.002 * 128 / d + 3 * error.mean_error);
      if (d == 128) CHECK(error.mean > 3 * error.mean_error);
    }
  }
}

TEST_CASE("mse: distortion, slope and variance of every scale over 10^5 pairs") {
  Random random(4);
  for (const int d : {128, 512})
    for (const Scale scale : {Scale::norm, Scale::matched, Scale::mse, Scale::unbiased}) {
      const std::vector<Products> all = products_of(random, Kind::mse, scale, d, kPairs);
      for (int bits = 1; bits <= 4; ++bits) {
        CASE(d, bits, name_of(scale));
        const Products& products = all[static_cast<std::size_t>(bits - 1)];
        const double distortion = distortion_of(d, bits), kept = 1 - distortion;
        const Moments slope = moments_of_batches(slopes(products), kBatch);
        if (scale == Scale::unbiased) {
          check_unbiased(products);
          check_variance(products, distortion / kept / d, d);
          continue;
        }
        const bool matched = scale == Scale::matched;
        // E<k, k^> is 1 - D of centroids; what depends on the row's own length has terms of D / d.
        const double terms = scale == Scale::norm ? 0 : 4 * distortion / d;
        CHECK(std::abs(slope.mean - (matched ? std::sqrt(kept) : kept)) <
              3 * slope.mean_error + terms);
        check_variance(products, (matched ? distortion : distortion * kept) / d, d);
        if (scale != Scale::norm) continue;
        if (bits == 1) CHECK(std::abs(slope.mean - 2 / kPi) < 3 * slope.mean_error + 1.0 / d);
        const Moments square = moments(products.square_errors);
        CHECK(std::abs(square.mean - distortion) < 3 * square.mean_error);
        CHECK(square.mean > std::pow(4, -bits));
        CHECK(square.mean < std::sqrt(3) * kPi / 2 * std::pow(4, -bits));
        // A bound of sqrt(3 pi) / 2 instead is exceeded (references.md#turboquant-corrections).
        CHECK((square.mean > std::sqrt(3 * kPi) / 2 * std::pow(4, -bits)) == (bits > 1));
      }
    }
}

TEST_CASE("RaBitQ's bound of the error of an unbiased estimate over 10^5 pairs") {
  // With a the cosine of a vector and its levels, the error of <q, k> is at most
  // epsilon sqrt((1 - a^2) / a^2 / (d - 1)) but for 2 exp(-epsilon^2 / 2) of the pairs
  // (references.md#rabitq, Theorem 3.2). At right angles the share beyond it is that of one
  // coordinate of a sphere, nearly a normal one.
  Random random(5);
  for (const int d : {128, 512}) {
    const std::vector<Products> all = products_of(random, Kind::mse, Scale::unbiased, d, kPairs);
    for (int bits = 1; bits <= 4; ++bits) {
      const Products& products = all[static_cast<std::size_t>(bits - 1)];
      for (const double cosine : {0.0, 0.3, 0.9})
        for (const double epsilon : {1.0, 1.9, 3.0}) {
          CASE(d, bits, cosine, epsilon);
          const Doubles errors = products.errors(cosine);
          Doubles beyond;
          for (std::size_t i = 0; i < errors.size(); ++i)
            // Of an unbiased estimate |k - k^|^2 = (1 - a^2) / a^2.
            beyond.push_back(std::abs(errors[i]) >
                             epsilon * std::sqrt(products.square_errors[i] / (d - 1)));
          const Moments share = moments(beyond);
          CHECK(share.mean < 2 * std::exp(-epsilon * epsilon / 2));
          const double normal = std::erfc(epsilon / std::sqrt(2.0));
          if (cosine == 0) CHECK(std::abs(share.mean - normal) < 3 * share.mean_error + 1.0 / d);
          if (cosine == 0.9) CHECK(share.mean < normal);
        }
    }
  }
}
