#include "axelram/perplexity/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/perplexity/transformer_predictor.hpp"
#include "check.hpp"
#include "transformer/run_model.hpp"
#include "transformer/some_ids.hpp"

using namespace axelram;

namespace {

const std::string kModel = std::string(AXELRAM_SOURCE) + "/tests/model/transformer/reference/qwen3";

/// Keys that grow by a tenth as they are written: another model, in effect.
class LouderKeys : public test::PlainKeys {
 public:
  using PlainKeys::PlainKeys;
  void write(const float* rows, std::size_t count) override {
    std::vector<float> louder(rows, rows + count * d_);
    for (float& x : louder) x *= 1.1F;
    PlainKeys::write(louder.data(), count);
  }
};

class LouderCache : public test::PlainCache {
 public:
  explicit LouderCache(std::size_t d) : PlainCache(d), size_(d) {}
  std::unique_ptr<transformer::KeyCache> keys(int, int) const override {
    return std::make_unique<LouderKeys>(size_);
  }

 private:
  std::size_t size_;
};

std::vector<double> softmax(const float* logits, std::size_t count) {
  std::vector<double> p;
  double sum = 0;
  for (std::size_t v = 0; v < count; ++v) p.push_back(std::exp(static_cast<double>(logits[v])));
  for (const double x : p) sum += x;
  for (double& x : p) x /= sum;
  return p;
}

}  // namespace

TEST_CASE("evaluate: likelihood, divergence and ranks as defined, for any number of workers") {
  const auto checkpoint = checkpoints::read_checkpoint(kModel);
  const auto& a = checkpoint.architecture;
  const auto ids = test::some_ids(33, a.vocabulary);
  const auto windows = perplexity::sliding_windows(ids.size(), 12, 7);
  const test::PlainCache plain(a.head_dim);
  const LouderCache louder(a.head_dim);
  const auto scored = [&](std::size_t workers) {
    transformer::Workers team(workers);
    const transformer::Transformer model(checkpoint, team);
    return perplexity::evaluate(model, ids, windows, {&plain, &louder});
  };
  const auto scores = scored(1);
  REQUIRE(scores.size() == 2);
  REQUIRE(scores[0].nll.size() == ids.size() - 1);

  // Window by window, by the definitions.
  transformer::Workers workers(1);
  const transformer::Transformer model(checkpoint, workers);
  double kl = 0, top1 = 0, top5 = 0, agreed = 0, sum = 0;
  std::size_t next = 0;
  for (const perplexity::Window& w : windows) {
    CASE(w.begin);
    const transformer::Sequence sequence{{&ids[w.begin], w.size()}, 0};
    std::vector<float> logits[2];
    for (const bool loud : {false, true}) {
      const transformer::KvCache& cache =
          loud ? static_cast<const transformer::KvCache&>(louder) : plain;
      const auto hidden = model.forward({&sequence, 1}, cache);
      logits[loud].resize(w.size() * a.vocabulary);
      model.logits(hidden.data(), w.size(), logits[loud].data());
    }
    for (std::size_t t = w.scored; t < w.end; ++t, ++next) {
      CASE(t);
      const std::size_t row = (t - w.begin - 1) * a.vocabulary;
      const auto p = softmax(&logits[0][row], a.vocabulary);
      const auto q = softmax(&logits[1][row], a.vocabulary);
      const auto id = static_cast<std::size_t>(ids[t]);
      CHECK(scores[0].nll[next] == doctest::Approx(-std::log(p[id])).epsilon(1e-5));
      CHECK(scores[1].nll[next] == doctest::Approx(-std::log(q[id])).epsilon(1e-5));
      for (std::size_t v = 0; v < p.size(); ++v) kl += p[v] * std::log(p[v] / q[v]);
      const auto above = std::count_if(q.begin(), q.end(), [&](double x) { return x > q[id]; });
      top1 += above < 1;
      top5 += above < 5;
      agreed += std::max_element(p.begin(), p.end()) - p.begin() ==
                std::max_element(q.begin(), q.end()) - q.begin();
      sum -= std::log(q[id]);
    }
  }
  const auto count = static_cast<double>(next);
  CHECK(scores[0].kl == 0);
  CHECK(kl > 0);
  CHECK(scores[1].kl == doctest::Approx(kl / count).epsilon(1e-3));
  CHECK(scores[1].top1 == doctest::Approx(top1 / count));
  CHECK(scores[1].top5 == doctest::Approx(top5 / count));
  CHECK(scores[0].agreement == 1);
  CHECK(scores[1].agreement == doctest::Approx(agreed / count));
  CHECK(scores[1].perplexity() == doctest::Approx(std::exp(sum / count)).epsilon(1e-5));

  const auto by_three = scored(3);
  CHECK_SAME(by_three[1].nll, scores[1].nll);
  CHECK(by_three[1].kl == scores[1].kl);
}

TEST_CASE("evaluate: progress ends at all tokens of all caches") {
  const auto checkpoint = checkpoints::read_checkpoint(kModel);
  const auto ids = test::some_ids(20, checkpoint.architecture.vocabulary);
  transformer::Workers workers(2);
  const transformer::Transformer model(checkpoint, workers);
  const test::PlainCache plain(checkpoint.architecture.head_dim);
  perplexity::Progress last{};
  perplexity::evaluate(model, ids, perplexity::sliding_windows(20, 8, 4), {&plain, &plain},
                       [&](const perplexity::Progress& at) { last = at; });
  CHECK(last.tokens == last.of);
  CHECK(last.of == 2 * 4 * 8);
}

TEST_CASE("evaluate: a predictor tells of every layer and cache, and ends at all of the work") {
  const auto checkpoint = checkpoints::read_checkpoint(kModel);
  const auto& a = checkpoint.architecture;
  const auto ids = test::some_ids(20, a.vocabulary);
  transformer::Workers workers(2);
  const transformer::Transformer model(checkpoint, workers);
  const test::PlainCache plain(a.head_dim);
  const std::vector<const transformer::KvCache*> caches = {&plain, &plain, &plain};
  perplexity::TransformerPredictor predictor(model, caches);
  const std::vector<transformer::Sequence> sequences = {{{ids.data(), 12}, 0},
                                                        {{ids.data() + 8, 12}, 1}};
  const std::vector<perplexity::Target> targets = {{3, 5}, {17, 2}};
  std::vector<transformer::CacheEvents> events(3);
  std::vector<double> shares;
  predictor.predict(sequences, targets, events, [&](double share) { shares.push_back(share); });
  CHECK(shares.size() == 3 * (a.layers * sequences.size() + 1));
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.front() > 0);
  CHECK(shares.back() == doctest::Approx(1));
  CHECK(shares.back() <= 1);
}

TEST_CASE("evaluate: ids and lengths that the model does not take") {
  const auto checkpoint = checkpoints::read_checkpoint(kModel);
  transformer::Workers workers(1);
  const transformer::Transformer model(checkpoint, workers);
  const test::PlainCache plain(checkpoint.architecture.head_dim);
  const auto run = [&](const std::vector<std::int32_t>& ids) {
    perplexity::evaluate(model, ids, {{0, ids.size(), 1}}, {&plain});
  };
  CHECK_THROWS_AS(run({1, 2, -1}), files::InputError);
  CHECK_THROWS_AS(run({1, 2, static_cast<std::int32_t>(checkpoint.architecture.vocabulary)}),
                  files::InputError);
  CHECK_THROWS_AS(run(test::some_ids(checkpoint.architecture.max_positions + 1, 5)),
                  files::InputError);
}
