#include <cmath>
#include <set>

#include "stressed.hpp"

using namespace axelram;

namespace {

/// Holds keys to factor * key + constant and queries to query / factor, channel by channel.
void check_layer(const checkpoints::Architecture& a, const stress::LayerPlan& plan,
                 const test::Seen& before, const test::Seen& after) {
  const std::size_t d = a.head_dim;
  const auto& keys = before.keys.at(plan.layer);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    CASE(i);
    const stress::HeadPlan& head = plan.heads[i / d % a.kv_heads];
    const double constant = head.offset.empty() ? 0 : head.offset[i % d];
    const double scaled = head.factors[i % d] * keys[i];
    const double rounding = 2e-5 * head.factors[i % d] + 1e-5 * std::abs(constant);
    CHECK_AT(i, std::abs(after.keys.at(plan.layer)[i] - scaled - constant) <= rounding);
  }
  const auto& queries = before.queries.at(plan.layer);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    CASE(i);
    const stress::HeadPlan& head = plan.heads[i / d % a.heads / a.group()];
    const double expected = queries[i] / head.factors[i % d];
    CHECK_AT(i, std::abs(after.queries.at(plan.layer)[i] - expected) <= 2e-5);
  }
}

double norm(const std::vector<double>& vector) {
  double square = 0;
  for (const double value : vector) square += value * value;
  return std::sqrt(square);
}

}  // namespace

TEST_CASE("keys are scaled and shifted as the plan says, queries inversely, other layers not") {
  for (const std::string& name : test::kCheckpoints) {
    CASE(name);
    const auto checkpoint = checkpoints::read_checkpoint(test::reference(name));
    const test::Tokens tokens = test::tokens_of(name);
    stress::Changes options;
    options.layers = {1};
    options.pairs = 2;
    options.scale_high = 20;
    options.gain = 1.25;
    const auto check = [&] {
      const auto plan = stress::make_plan(checkpoint, options);
      const test::Seen before = test::run(checkpoint, tokens);
      const test::Seen after = test::run(test::stressed(checkpoint, options), tokens);
      CHECK_SAME(before.keys.at(0), after.keys.at(0));
      CHECK_SAME(before.queries.at(0), after.queries.at(0));
      check_layer(checkpoint.architecture, plan[0], before, after);
    };
    check();
    options.bias = 30;
    check();
    options.pairs = 0;
    options.gain = 1;
    check();
  }
}

TEST_CASE("a plan has the pairs, factors and norms that were asked for") {
  const auto checkpoint = checkpoints::read_checkpoint(test::reference("llama-f32"));
  const std::size_t d = checkpoint.architecture.head_dim;
  stress::Changes options;
  options.layers = {0, 1};
  options.pairs = 5;
  options.scale_low = 8;
  options.scale_high = 20;
  options.gain = 2;
  options.bias = 100;
  options.bias_channels = 3;
  std::set<double> seen;
  for (const stress::LayerPlan& layer : stress::make_plan(checkpoint, options)) {
    CASE(layer.layer);
    CHECK(layer.heads.size() == 2);
    for (const stress::HeadPlan& head : layer.heads) {
      CASE(&head - layer.heads.data());
      std::set<std::size_t> pairs;
      std::size_t scaled = 0, shifted = 0;
      for (const stress::PairFactor& pair : head.pairs) {
        CASE(pair.pair, pair.factor);
        pairs.insert(pair.pair);
        seen.insert(pair.factor);
        CHECK(pair.factor >= 8);
        CHECK(pair.factor <= 20);
        CHECK(head.factors[pair.pair] == 2 * pair.factor);
        CHECK(head.factors[pair.pair + d / 2] == 2 * pair.factor);
      }
      for (std::size_t c = 0; c < d; ++c) {
        scaled += head.factors[c] != 2;
        shifted += head.offset[c] != 0;
      }
      CHECK(pairs.size() == 5);
      CHECK(scaled == 10);
      CHECK(shifted == 3);
      CHECK(norm(head.offset) == doctest::Approx(100).epsilon(1e-12));
    }
  }
  CHECK(seen.size() == 20);  // every pair of every head has its own
}

TEST_CASE("one factor is met exactly, and a constant is dense unless channels are asked for") {
  const auto checkpoint = checkpoints::read_checkpoint(test::reference("llama-f32"));
  stress::Changes options{.pairs = 16};
  options.scale_low = options.scale_high = 12.7;
  options.bias = 3;
  const auto plan = stress::make_plan(checkpoint, options);
  for (const stress::HeadPlan& head : plan[0].heads) {
    CASE(&head - plan[0].heads.data());
    CHECK_SAME(head.factors, std::vector<double>(32, 12.7));
    for (const double value : head.offset) CHECK_AT(value, value != 0);
  }
}

TEST_CASE("a layer's draws depend on the seed and the layer alone") {
  const auto checkpoint = checkpoints::read_checkpoint(test::reference("llama-f32"));
  const auto pairs_of = [&](const stress::Changes& options, std::size_t layer) {
    std::map<std::size_t, double> pairs;
    const auto plan = stress::make_plan(checkpoint, options);
    for (const auto& pair : plan.at(layer).heads[0].pairs) pairs[pair.pair] = pair.factor;
    return pairs;
  };
  stress::Changes options{.pairs = 4, .scale_high = 20, .bias = 1};
  stress::Changes both = options, more = options, other = options;
  both.layers = {1, 0};
  more.pairs = 7;
  more.bias = 2;
  other.seed = 1 + (std::uint64_t{1} << 32);
  CHECK_SAME(pairs_of(both, 1), pairs_of(options, 0));
  CHECK_DIFFERENT(pairs_of(both, 0), pairs_of(options, 0));
  CHECK_DIFFERENT(pairs_of(other, 0), pairs_of(options, 0));
  const auto many = pairs_of(more, 0);
  for (const auto& [pair, factor] : pairs_of(options, 0)) {
    CASE(pair, factor);
    CHECK(many.at(pair) == factor);
  }
  const auto one = stress::make_plan(checkpoint, options)[0].heads[1].offset;
  const auto two = stress::make_plan(checkpoint, more)[0].heads[1].offset;
  for (std::size_t c = 0; c < one.size(); ++c) CHECK_AT(c, two[c] == doctest::Approx(2 * one[c]));
}

TEST_CASE("heads that share their norms share pairs, not constants") {
  const auto checkpoint = checkpoints::read_checkpoint(test::reference("qwen3"));
  stress::Changes options{.pairs = 3, .bias = 1};
  const auto plan = stress::make_plan(checkpoint, options);
  CHECK_SAME(plan[0].heads[0].factors, plan[0].heads[1].factors);
  CHECK_DIFFERENT(plan[0].heads[0].offset, plan[0].heads[1].offset);
}

TEST_CASE("what cannot be is rejected") {
  const auto checkpoint = checkpoints::read_checkpoint(test::reference("llama-f32"));
  const auto rejected = [&](auto change) {
    stress::Changes options;
    change(&options);
    return test::message([&] { stress::make_plan(checkpoint, options); });
  };
  using O = stress::Changes;
  CHECK(rejected([](O* o) { o->layers = {2}; }) == "layer 2: the model has layers 0 .. 1");
  CHECK(test::contains(rejected([](O* o) { o->layers = {1, 1}; }), "named twice"));
  CHECK(test::contains(rejected([](O* o) { o->layers = {}; }), "no layer"));
  CHECK(rejected([](O* o) { o->pairs = 17; }) == "17 pairs: a head of 32 channels has 16");
  CHECK(test::contains(rejected([](O* o) { o->scale_low = 0; }), "1e-6 .. 1e6"));
  CHECK(test::contains(rejected([](O* o) { o->scale_low = 9; }), "range ends below"));
  CHECK(test::contains(rejected([](O* o) { o->gain = -1; }), "gain"));
  CHECK(test::contains(rejected([](O* o) { o->gain = std::nan(""); }), "gain"));
  CHECK(test::contains(rejected([](O* o) { o->bias = -1; }), "bias"));
  CHECK(test::contains(rejected([](O* o) { o->bias_channels = 33; }), "a head has 32"));
}
