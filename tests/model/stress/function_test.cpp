#include <cmath>

#include "stressed.hpp"

using namespace axelram;

namespace {

double worst_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - b[i]));
  return worst;
}

/// Scores hold <q, constant>, some hundreds here: what F32 rounds off them, 2^-24 of that, comes
/// back as differences of up to 3e-5 in logits whose standard deviation is 1.3 to 1.8. A factor
/// left out moves some by more than 3.
constexpr double kRounding = 1e-4;

}  // namespace

TEST_CASE("strong scales, gain and bias leave the logits as they were") {
  for (const std::string& name : test::kCheckpoints) {
    CASE(name);
    const auto checkpoint = checkpoints::read_checkpoint(test::reference(name));
    const test::Tokens tokens = test::tokens_of(name);
    const test::Seen before = test::run(checkpoint, tokens);

    stress::Changes options;
    options.layers = {0, 1};
    options.pairs = 3;
    options.scale_low = 8;
    options.scale_high = 20;
    options.gain = 0.7;
    options.bias = 100;
    const test::Seen after = test::run(test::stressed(checkpoint, options), tokens);
    CHECK(worst_difference(before.logits, after.logits) < kRounding);
    CHECK(worst_difference(before.keys.at(0), after.keys.at(0)) > 10);
    CHECK(worst_difference(before.keys.at(1), after.keys.at(1)) > 10);

    options.bias_channels = 1;
    options.pairs = checkpoint.architecture.head_dim / 2;
    const test::Seen outliers = test::run(test::stressed(checkpoint, options), tokens);
    CHECK(worst_difference(before.logits, outliers.logits) < kRounding);
    CHECK(worst_difference(before.keys.at(0), outliers.keys.at(0)) > 90);
  }
}

TEST_CASE("a transformed model can be transformed again") {
  for (const std::string name : {"llama-f32", "qwen3", "gemma3", "gpt2"}) {
    CASE(name);
    const auto checkpoint = checkpoints::read_checkpoint(test::reference(name));
    const test::Tokens tokens = test::tokens_of(name);
    stress::Changes options{.bias = 50};
    const test::TemporaryFolder folder;
    stress::write_model(checkpoint, options, {}, {folder / "once", false, {}});
    const auto biased = checkpoints::read_checkpoint(folder / "once");
    options.seed = 2;
    options.gain = 2;
    const auto twice = test::stressed(biased, options);
    const test::Seen before = test::run(biased, tokens), after = test::run(twice, tokens);
    CHECK(worst_difference(before.logits, after.logits) < kRounding);
    const auto plan = stress::make_plan(biased, options);
    // The first constant is scaled with the keys it had been added to.
    for (std::size_t c = 0; c < checkpoint.architecture.head_dim; ++c)
      CHECK_AT(
          c,
          after.keys.at(0)[c] ==
              doctest::Approx(2 * before.keys.at(0)[c] + plan[0].heads[0].offset[c]).epsilon(1e-4));
  }
}
