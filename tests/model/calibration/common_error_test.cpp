#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "axelram/codebook.hpp"
#include "axelram/signs.hpp"

// Why the least quantization error need not be the best choice of signs: docs/findings.md.

namespace {

constexpr int kDim = 64, kKeys = 200, kQueries = 50, kCandidates = 60;

using Rows = std::vector<std::vector<double>>;

/// Gaussian keys that share a constant of five times their own length.
Rows biased_keys(std::mt19937_64* random) {
  std::normal_distribution<double> normal;
  std::vector<double> bias(kDim);
  for (double& x : bias) x = 5 * normal(*random);
  Rows keys(kKeys, std::vector<double>(kDim));
  for (auto& key : keys)
    for (int i = 0; i < kDim; ++i) key[i] = bias[i] + normal(*random);
  return keys;
}

/// H diag(s) x / sqrt(d), by the definition of Sylvester's matrix.
std::vector<double> rotated(const std::vector<double>& x, const std::vector<std::int8_t>& signs) {
  std::vector<double> y(kDim);
  for (int r = 0; r < kDim; ++r)
    for (int c = 0; c < kDim; ++c)
      y[r] += (std::popcount(static_cast<unsigned>(r & c)) % 2 != 0 ? -1 : 1) * signs[c] * x[c] /
              std::sqrt(double{kDim});
  return y;
}

/// Error that the quantizer adds to a rotated key.
std::vector<double> error_of(const std::vector<double>& y, const axelram::Codebook& codebook) {
  double squares = 0;
  for (const double x : y) squares += x * x;
  const double unit = std::sqrt(squares / kDim);
  std::vector<double> error;
  for (const double x : y) {
    std::size_t index = 0;
    while (index < codebook.boundaries.size() && x / unit > codebook.boundaries[index]) ++index;
    error.push_back(codebook.centroids[index] * unit - x);
  }
  return error;
}

/// Takes from every column its mean; returns the mean square of what is left.
double spread(Rows* rows) {
  double sum = 0;
  for (std::size_t c = 0; c < rows->front().size(); ++c) {
    double mean = 0;
    for (const auto& row : *rows) mean += row[c] / static_cast<double>(rows->size());
    for (auto& row : *rows) sum += (row[c] -= mean) * row[c];
  }
  return sum / static_cast<double>(rows->size() * rows->front().size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sa += a[i];
    sb += b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
  }
  return (n * ab - sa * sb) / std::sqrt((n * aa - sa * sa) * (n * bb - sb * sb));
}

}  // namespace

TEST_CASE("under a bias much of the quantization error is common to all keys, unseen by softmax") {
  std::mt19937_64 random(7);
  const Rows keys = biased_keys(&random);
  std::normal_distribution<double> normal;
  Rows queries(kQueries, std::vector<double>(kDim));
  for (auto& query : queries)
    for (double& x : query) x = normal(random);
  const auto codebook = axelram::solve_codebook(axelram::CodebookKind::gaussian, kDim, 2);

  std::vector<double> total, varying, scores;
  for (std::uint64_t seed = 1; seed <= kCandidates; ++seed) {
    std::vector<std::int8_t> signs(kDim);
    axelram::sign_vector(seed, 0, 0, kDim, signs.data());
    Rows errors;
    double squares = 0;
    for (const auto& key : keys) {
      errors.push_back(error_of(rotated(key, signs), codebook));
      for (const double x : errors.back()) squares += x * x / (kKeys * kDim);
    }
    // The softmax of a query depends on the inner products of the errors less their mean over keys.
    Rows seen(kKeys);
    for (const auto& query : queries) {
      const std::vector<double> q = rotated(query, signs);
      for (int t = 0; t < kKeys; ++t) {
        double product = 0;
        for (int i = 0; i < kDim; ++i) product += q[i] * errors[t][i];
        seen[t].push_back(product);
      }
    }
    total.push_back(squares);
    varying.push_back(spread(&errors));
    scores.push_back(spread(&seen));
  }
  double share = 0;
  for (std::size_t i = 0; i < total.size(); ++i) share += 1 - varying[i] / total[i];
  CHECK(share / kCandidates > 1.0 / 3);
  // Algorithm 1 minimises the first; the second is what counts.
  CHECK(correlation(total, scores) < 0.6);
  CHECK(correlation(varying, scores) > 0.8);
}
