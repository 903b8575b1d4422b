#include "prediction.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "axelram/transformer/other_level.hpp"
#include "check.hpp"

using namespace axelram;
using namespace perplexity;

namespace {

Prediction predict(const std::vector<float>& baseline, const std::vector<float>& own,
                   std::int32_t id) {
  const Distribution own_one(own.data(), own.size());
  if (&baseline == &own) return perplexity::predict(own_one, own_one, id);
  return perplexity::predict(Distribution(baseline.data(), baseline.size()), own_one, id);
}

/// Fast and reference of one pair of distributions, at every id of `ids`.
void check_twins(const std::vector<float>& baseline, const std::vector<float>& own,
                 const std::vector<std::size_t>& ids) {
  const Distribution p(baseline.data(), baseline.size()), q(own.data(), own.size());
  double size = 0;  // of the terms of kl, both signs alike
  for (std::size_t v = 0; v < own.size(); ++v) {
    const double log_p = baseline[v] - p.log_sum;
    size += std::exp(log_p) * std::abs(log_p - (own[v] - q.log_sum));
  }
  for (const std::size_t id : ids) {
    CASE(id);
    const Prediction fast = perplexity::predict(p, q, static_cast<std::int32_t>(id));
    const Prediction right = perplexity::predict_ref(baseline.data(), own.data(), own.size(),
                                                     static_cast<std::int32_t>(id));
    REQUIRE(fast.nll == right.nll);
    REQUIRE(fast.rank == right.rank);
    REQUIRE(fast.agrees == right.agrees);
    REQUIRE(std::abs(fast.kl - right.kl) <= 1e-12 * size + 1e-300);
  }
}

void check_twins(const std::vector<float>& baseline, const std::vector<float>& own) {
  std::vector<std::size_t> ids = {0, own.size() / 2, own.size() - 1};
  check_twins(baseline, own, ids);
  check_twins(own, baseline, ids);
}

}  // namespace

TEST_CASE("prediction: rank counts the ids more likely, of equals those before") {
  const std::vector<float> logits = {1, 4, 2, 4, 3, 0};
  const auto rank = [&](std::int32_t id) { return predict(logits, logits, id).rank; };
  CHECK(rank(1) == 0);
  CHECK(rank(3) == 1);
  CHECK(rank(4) == 2);
  CHECK(rank(2) == 3);
  CHECK(rank(0) == 4);
  CHECK(rank(5) == 5);
}

TEST_CASE("prediction: likelihood and divergence by hand") {
  // Probabilities 1/2, 1/4, 1/4 against 1/4, 1/4, 1/2.
  const std::vector<float> base = {std::log(2.0F), 0, 0};
  const std::vector<float> other = {5, 5, 5 + std::log(2.0F)};
  const auto seen = predict(base, other, 2);
  CHECK(seen.nll == doctest::Approx(std::log(2.0)));
  CHECK(seen.kl == doctest::Approx(0.25 * std::log(2.0)));
  CHECK(predict(base, base, 0).kl == 0);
}

TEST_CASE("prediction: two agree if one id is the most likely of both, of equals the lowest") {
  const std::vector<float> base = {1, 4, 2, 4}, other = {0, 3, 9, 9}, same = {0, 9, 2, 9};
  const std::vector<float> even = {0, 0}, last = {0, 1};
  CHECK(predict(base, base, 0).agrees);
  CHECK_FALSE(predict(base, other, 1).agrees);
  CHECK(predict(base, same, 3).agrees);
  CHECK_FALSE(predict(even, last, 0).agrees);
}

TEST_CASE("prediction: logits far apart stay numbers") {
  const std::vector<float> base = {1e4F, -1e4F}, other = {-1e4F, 1e4F};
  const auto seen = predict(base, other, 0);
  CHECK(seen.nll == doctest::Approx(2e4));
  CHECK(seen.kl == doctest::Approx(2e4));
}

TEST_CASE("prediction: the fast one is the reference, on every instruction set") {
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
    CASE(level);
    const transformer::OtherLevel at(level);
    std::mt19937 random(5);
    for (const std::size_t size : {1U, 2U, 63U, 64U, 65U, 127U, 300U, 4096U, 49152U}) {
      CASE(size);
      for (const float spread : {0.0F, 1.0F, 8.0F, 200.0F, 1e4F}) {
        CASE(spread);
        std::normal_distribution<float> normal(0, 1);
        std::vector<float> baseline(size), close(size), other(size);
        for (std::size_t v = 0; v < size; ++v) {
          baseline[v] = spread * normal(random);
          close[v] = baseline[v] + 0.01F * normal(random);  // a divergence of 1e-4
          other[v] = spread * normal(random);
        }
        check_twins(baseline, close);
        check_twins(baseline, other);
        check_twins(baseline, std::vector<float>(size, -3.5F));
      }
      // One id takes all, at the ends of the chunks; others equal it.
      for (const std::size_t place : {std::size_t{0}, size / 2, size - 1}) {
        CASE(place);
        std::vector<float> sure(size, -50.0F), even(size, 0.0F);
        sure[place] = 50;
        check_twins(sure, even);
        std::vector<float> pair = sure;
        pair[size - 1] = 50;
        check_twins(sure, pair);
        check_twins(pair, pair);
      }
    }
  }
}

TEST_CASE("prediction: a small divergence keeps its digits") {
  // p = (1/2, 1/2), q = (1/2 + e, 1/2 - e): the divergence is -ln(1 - 4 e^2) / 2.
  const std::vector<float> base = {0, 0};
  for (const float shift : {1e-1F, 1e-2F, 1e-3F}) {
    CASE(shift);
    const double e = 0.5 * std::tanh(double{shift} / 2);
    const auto seen = predict(base, {shift, 0}, 0);
    CHECK(seen.kl == doctest::Approx(-0.5 * std::log1p(-4 * e * e)).epsilon(1e-8));
  }
}

TEST_CASE("prediction: a logit that is no number is seen") {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    for (const std::size_t place : {0U, 70U, 99U}) {
      CASE(bad, place);
      std::vector<float> logits(100, 1.0F);
      logits[place] = bad;
      CHECK_FALSE(std::isfinite(predict(logits, logits, 3).nll));
      CHECK_FALSE(std::isfinite(predict(std::vector<float>(100, 1.0F), logits, 3).kl));
    }
}
