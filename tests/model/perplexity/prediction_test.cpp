#include "prediction.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using axelram::perplexity::predict;

TEST_CASE("prediction: rank counts the ids more likely, of equals those before") {
  const std::vector<float> logits = {1, 4, 2, 4, 3, 0};
  const auto rank = [&](std::int32_t id) {
    return predict(logits.data(), logits.data(), logits.size(), id).rank;
  };
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
  const auto seen = predict(base.data(), other.data(), 3, 2);
  CHECK(seen.nll == doctest::Approx(std::log(2.0)));
  CHECK(seen.kl == doctest::Approx(0.25 * std::log(2.0)));
  CHECK(predict(base.data(), base.data(), 3, 0).kl == 0);
}

TEST_CASE("prediction: logits far apart stay numbers") {
  const std::vector<float> base = {1e4F, -1e4F}, other = {-1e4F, 1e4F};
  const auto seen = predict(base.data(), other.data(), 2, 0);
  CHECK(seen.nll == doctest::Approx(2e4));
  CHECK(seen.kl == doctest::Approx(2e4));
}
