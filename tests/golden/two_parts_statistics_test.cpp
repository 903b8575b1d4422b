#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "axelram/codebook.hpp"
#include "axelram/datapath.hpp"
#include "axelram/fast.hpp"
#include "axelram/half.hpp"
#include "axelram/head_rotation.hpp"
#include "check.hpp"
#include "golden/fast_inputs.hpp"
#include "statistics.hpp"

/// The expectation and the variance of scores of records with two parts, to the last bit as a macro
/// computes them, over fresh signs for each pair of key and query (bit-contract.md#residual,
/// bit-contract.md#split).

using namespace axelram;

namespace {

using namespace test;

constexpr int kPairs = 100000;
using std::numbers::pi;

/// FP16 elements, and their values.
std::vector<std::uint16_t> rounded(Doubles* x) {
  std::vector<std::uint16_t> elements;
  for (double& value : *x) {
    elements.push_back(double_to_half(value));
    value = half_to_double(elements.back());
  }
  return elements;
}

/// Errors of the scores of pairs of unit vectors at this cosine.
Moments errors_of(fast_test::Random& random, const Parameters& p, double cosine) {
  const auto rom = std::make_shared<const CodebookRom>(codebook_rom(p));
  std::vector<std::uint16_t> high(p.split() ? static_cast<std::size_t>(p.head_dim / 2) : 0);
  for (std::size_t i = 0; i < high.size(); ++i) high[i] = static_cast<std::uint16_t>(2 * i);
  Doubles errors;
  KeyResult key;
  QueryResult query;
  for (int pair = 0; pair < kPairs; ++pair) {
    Datapath path(p, rom, seeded_rotation(p, random(), 0, 0, high), {}, fast_units());
    Doubles k = test::direction(random, static_cast<std::size_t>(p.head_dim));
    Doubles q = test::at_cosine(random, k, cosine);
    path.write(rounded(&k).data(), &key);
    path.round(rounded(&q).data(), &query);
    float score = 0;
    path.score(query, key.record.data(), 1, &score);
    errors.push_back(static_cast<double>(score) * rom->score_scale - test::inner_product(q, k));
  }
  return moments(errors);
}

/// Distortion of the Gaussian codebook on keys of d dimensions.
double distortion_of(int bits, int d) {
  return distortion(solve_codebook(CodebookKind::gaussian, d, bits), CodebookKind::beta, d);
}

/// Within three standard errors, and what queries and centroids of 8 bits add.
void check_variance(const Moments& error, double expected) {
  CHECK(std::abs(error.variance - expected) < 3 * error.variance_error + 0.01 * expected);
}

}  // namespace

TEST_CASE("prod: a bias of at most 0.002, and the variance of theory over 10^5 pairs") {
  fast_test::Random random(91);
  Parameters p{.kind = QuantizerKind::prod};
  // With a Hadamard matrix for the projection the sign of z_i is not that of a Gaussian.
  for (const auto& [index_bits, bias_at_06] :
       {std::pair{2, 0.0015}, std::pair{3, 0.0010}, std::pair{4, 0.0006}})
    for (const double cosine : {0.0, 0.3, 0.6, 0.9}) {
      CASE(index_bits, cosine);
      p.index_bits = index_bits;
      const Moments error = errors_of(random, p, cosine);
      CHECK(std::abs(error.mean) < cosine / 300 + 3 * error.mean_error);
      if (cosine == 0.6) CHECK(std::abs(error.mean) <= 0.002);
      if (cosine == 0.6) CHECK(std::abs(error.mean - bias_at_06) < 3 * error.mean_error + 0.0001);
      if (cosine == 0)
        check_variance(error,
                       (pi / 2 - 1) * distortion_of(index_bits - 1, p.head_dim) / p.head_dim);
    }
}

TEST_CASE("split: slope 1 and the variance of both halves over 10^5 pairs") {
  fast_test::Random random(92);
  for (const int states : {0, 8})
    for (const auto& [high, low] : {std::pair{3, 1}, std::pair{4, 2}})
      for (const double cosine : {0.0, 0.3, 0.9}) {
        CASE(states, high, cosine);
        Parameters p{.kind = states == 0 ? QuantizerKind::mse : QuantizerKind::trellis,
                     .scale = ScaleKind::unbiased,
                     .split_high = high,
                     .split_low = low};
        const Moments error = errors_of(random, p, cosine);
        CHECK(std::abs(error.mean) < 3 * error.mean_error);
        if (cosine != 0) continue;
        const auto variance_of = [&](int bits) {  // of a half with half of key and query
          const double distortion = distortion_of(bits, p.head_dim / 2);
          return distortion / (1 - distortion) / p.head_dim / 2;
        };
        const double expected = variance_of(high) + variance_of(low);
        if (states == 0)
          check_variance(error, expected);
        else
          CHECK(error.variance + 3 * error.variance_error < 0.85 * expected);
      }
}
