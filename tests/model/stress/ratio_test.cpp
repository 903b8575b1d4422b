#include <cmath>

#include "stressed.hpp"

using namespace axelram;

namespace {

double mean_norm(const std::vector<float>& keys, std::size_t d) {
  double sum = 0;
  for (std::size_t at = 0; at < keys.size(); at += d) {
    double square = 0;
    for (std::size_t c = 0; c < d; ++c) square += static_cast<double>(keys[at + c]) * keys[at + c];
    sum += std::sqrt(square);
  }
  return sum * static_cast<double>(d) / static_cast<double>(keys.size());
}

stress::RatioFit fit(const checkpoints::Checkpoint& checkpoint, const test::Tokens& tokens,
                     const stress::Changes& options, const stress::RatioTarget& target) {
  transformer::Workers workers(2);
  std::vector<transformer::Sequence> sequences;
  for (std::size_t at = 0; at < tokens.ids.size(); at += tokens.columns)
    sequences.push_back({{tokens.ids.data() + at, tokens.columns}, 0});
  return stress::fit_norm_ratio(checkpoint, workers, sequences, options, target);
}

}  // namespace

TEST_CASE("the ratio of key norms is reached, by bias and by gain") {
  for (const std::string& name : test::kCheckpoints) {
    CASE(name);
    const auto checkpoint = checkpoints::read_checkpoint(test::reference(name));
    const std::size_t d = checkpoint.architecture.head_dim;
    const test::Tokens tokens = test::tokens_of(name);
    const test::Seen before = test::run(checkpoint, tokens);
    for (const bool by_bias : {true, false})
      for (const double ratio : {20.0, 150.0}) {
        CASE(by_bias, ratio);
        stress::Changes options{.pairs = 2, .gain = by_bias ? 1.5 : 1, .bias = by_bias ? 0.0 : 7};
        const auto result = fit(checkpoint, tokens, options, {ratio, by_bias});
        CHECK(result.tokens == tokens.ids.size());
        for (std::size_t l = 0; l < 2; ++l)
          CHECK_AT(
              l, result.norms[l] == doctest::Approx(mean_norm(before.keys.at(l), d)).epsilon(1e-6));
        CHECK(result.chosen == doctest::Approx(ratio * result.others).epsilon(1e-9));

        const test::Seen after = test::run(test::stressed(checkpoint, result.options), tokens);
        const double chosen = mean_norm(after.keys.at(0), d);
        double others = 0;
        for (std::size_t l = 1; l < after.keys.size(); ++l)
          others += mean_norm(after.keys.at(l), d) / static_cast<double>(after.keys.size() - 1);
        CHECK(chosen == doctest::Approx(ratio * others).epsilon(1e-3));
        CHECK(chosen == doctest::Approx(result.chosen).epsilon(1e-3));
      }
  }
}

TEST_CASE("a ratio below 1 by a gain below 1") {
  const auto checkpoint = checkpoints::read_checkpoint(test::reference("qwen3"));
  const test::Tokens tokens = test::tokens_of("qwen3");
  const auto result = fit(checkpoint, tokens, {}, {0.05, false});
  const test::Seen after = test::run(test::stressed(checkpoint, result.options), tokens);
  const std::size_t d = checkpoint.architecture.head_dim;
  CHECK(mean_norm(after.keys.at(0), d) ==
        doctest::Approx(0.05 * mean_norm(after.keys.at(1), d)).epsilon(1e-3));
}

TEST_CASE("ratios out of reach are rejected") {
  const auto checkpoint = checkpoints::read_checkpoint(test::reference("llama-f32"));
  const test::Tokens tokens = test::tokens_of("llama-f32");
  const auto rejected = [&](const stress::Changes& options, const stress::RatioTarget& target) {
    return test::message([&] { fit(checkpoint, tokens, options, target); });
  };
  CHECK(test::contains(rejected({}, {0.01, true}), "without any bias it is "));
  stress::Changes biased{.bias = 1000};
  CHECK(test::contains(rejected(biased, {2, false}), "without any gain it is "));
  stress::Changes all;
  all.layers = {0, 1};
  CHECK(test::contains(rejected(all, {2, false}), "leave one to compare with"));
  CHECK(test::contains(rejected({}, {0, false}), "1e-6 .. 1e6"));
  CHECK(test::contains(rejected({}, {1e6, true}), "would take a bias"));
}
