#include "axelram/faults/campaign.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "axelram/macro.hpp"
#include "setup.hpp"

namespace {

using namespace axelram;
using namespace axelram::faults;

TEST_CASE("indices are tested one-sidedly on a handful of failed words") {
  const test::Setup setup;
  CampaignOptions options = setup.options();
  options.codes = {"hsiao_72_64"};
  options.policies = {ErasurePolicy::zero};
  options.rates = {0.002};
  options.trials = 10;  // 160 keys, few failed words, about twenty wrong indices in each
  const Statistic few = setup.run(options).points[0].at("index_error");
  CHECK(few.events < 60);
  CHECK(few.holds);
  options.trials = 1000;
  const Statistic many = setup.run(options).points[0].at("index_error");
  CHECK(*many.p_value < 1);
  CHECK(many.holds);
}

TEST_CASE("a wrong expectation is rejected") {
  const test::Setup setup;
  CampaignOptions options = setup.options();
  options.trials = 200;
  CampaignReport report = setup.run(options);
  CHECK(report.holds());
  // The closed form of a rate that is 20 % higher.
  Point& point = report.points[0];
  Statistic& s = point.statistics[2];
  CHECK(s.name == "corrected");
  const Workload workload = setup.workload("hamming84");
  s.expected = word_profile(workload.code().code()).corrected.at(0.012);
  s.p_value = binomial_p_value(s.events, s.of, *s.expected);
  std::vector<Statistic*> table;
  for (Statistic& statistic : point.statistics) table.push_back(&statistic);
  CHECK_FALSE(holm_test(table));
  CHECK_FALSE(s.holds);
  CHECK_FALSE(report.holds());
  CHECK(point.at("word_failure").holds);
}

/// An engine with a wrong result.
class WrongEngine : public FaultEngine {
 public:
  explicit WrongEngine(std::unique_ptr<FaultEngine> right) : right_(std::move(right)) {}
  const std::vector<std::uint8_t>& stored() const override { return right_->stored(); }
  FaultOutcome read(const std::vector<std::uint8_t>& masks, ErasurePolicy policy) override {
    FaultOutcome outcome = right_->read(masks, policy);
    if (calls_++ == 5) outcome.repaired[3] ^= 1;
    return outcome;
  }

 private:
  std::unique_ptr<FaultEngine> right_;
  int calls_ = 0;
};

TEST_CASE("an engine with a wrong result fails the campaign") {
  const test::Setup setup;
  CampaignOptions options = setup.options();
  options.score_trials = 10;
  options.checker = options.engine;
  CHECK(setup.run(options).holds());
  const EngineFactory golden = options.engine;
  options.engine = [&](const std::string& code) -> std::unique_ptr<FaultEngine> {
    return std::make_unique<WrongEngine>(golden(code));
  };
  const CampaignReport report = setup.run(options);
  CHECK(report.points[0].engine_differed == 1);
  CHECK_FALSE(report.holds());
}

test::Same same(const Point& a, const Point& b) {
  using Row = std::tuple<std::string, double, double, double, std::optional<double>>;
  const auto parts = [](const Point& point) {
    std::vector<Row> rows;
    for (const Statistic& of : point.statistics)
      rows.emplace_back(of.name, of.rate, of.interval.low, of.interval.high, of.p_value);
    return std::tuple(point.trials, point.worst.trial, point.miscorrected_trial, point.sum.words,
                      rows);
  };
  return {parts(a), parts(b)};
}

TEST_CASE("threads change nothing, the seed everything") {
  const test::Setup setup;
  CampaignOptions options = setup.options();
  options.policies = {ErasurePolicy::keep, ErasurePolicy::interpolate};
  options.rates = {0.02};
  options.trials = 150;
  options.score_trials = 150;
  const CampaignReport one = setup.run(options, 1), three = setup.run(options, 3);
  for (std::size_t i = 0; i < one.points.size(); ++i)
    CHECK_AT(i, same(one.points[i], three.points[i]));
  options.seed = 2;
  CHECK_FALSE(same(one.points[0], setup.run(options).points[0]));
}

TEST_CASE("campaigns stop at trials, at codewords or at an interval's width") {
  const test::Setup setup;
  CampaignOptions options = setup.options();
  CHECK(setup.run(options).points[0].trials == 50);
  options.codewords = 100'000;  // 16 keys of 28 words
  CHECK(setup.run(options).points[0].trials == 224);
  CHECK(setup.run(options).points[0].codewords == 224 * 16 * 28);
  options.codewords = 0;
  options.trials = 100'000;
  options.width = 0.2;
  const Point point = setup.run(options).points[0];
  CHECK(point.trials < 2000);
  CHECK(point.trials % 64 == 0);
  const Statistic& s = point.at("word_failure");
  CHECK((s.interval.high - s.interval.low) / s.rate <= 0.2);
}

namespace {

/// It holds for a campaign with exact tokens too: no fault reaches a copy.
void check_scores(const test::Setup& setup) {
  for (const ErasurePolicy policy : {ErasurePolicy::zero, ErasurePolicy::interpolate}) {
    CASE(policy);
    const Workload workload = setup.workload("hamming84");
    const auto engine = golden_engines(setup.config, setup.trace)("hamming84");
    FaultModel model;
    model.rate = 0.05;
    const FaultSource source(model, {1, 0, 0}, workload.code().words(), 8);
    const TrialPlan plan{&workload, &source, {policy}, {}, {}};
    TrialRunner runner(plan);
    const std::vector<std::uint8_t> masks = runner.draw(3);
    const FaultOutcome outcome = engine->read(masks, policy);

    Macro macro(setup.config.parameters, setup.config.head_rotation.signs, {}, 16,
                {"hamming84", policy});
    for (std::size_t t = 0; t < 16; ++t) {
      macro.write(&setup.trace.keys[t * 32]);
      std::vector<std::uint8_t> faulty(workload.code().stored_bytes());
      for (std::size_t i = 0; i < faulty.size(); ++i)
        faulty[i] =
            static_cast<std::uint8_t>(macro.store().stored(t)[i] ^ masks[t * faulty.size() + i]);
      macro.store().set_stored(t, faulty.data());
    }
    std::vector<float> scores;
    for (std::size_t q = 0; q < 3; ++q) {
      const QueryResult result = macro.query(&setup.trace.queries[q * 32]);
      scores.insert(scores.end(), result.scores.begin(), result.scores.end());
    }
    CHECK_SAME(scores, outcome.scores);
    const Parameters& p = setup.config.parameters;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      CASE(i);
      if (is_exact(i % 16, 16, p)) CHECK(scores[i] == workload.scores()[i]);
    }
    CHECK(workload.score_error(scores).rms > 0);
    CHECK(workload.score_error(workload.scores()).max == 0);
    for (float& score : scores = workload.scores()) score *= 2;
    CHECK(workload.score_error(scores).rms == doctest::Approx(1));
    CHECK(workload.score_error(scores).max > 1);
  }
}

}  // namespace

TEST_CASE("scores are those of a macro whose memory holds the faults") {
  test::Setup setup;
  check_scores(setup);
  setup.config.parameters.scale = ScaleKind::unbiased;
  setup.config.parameters.exact_first = 2;
  setup.config.parameters.exact_last = 3;
  check_scores(setup);
}

TEST_CASE("without queries, or with scores that are all 0, there is no score error") {
  for (const bool zero : {false, true}) {
    CASE(zero);
    test::Setup setup(4, zero ? 2 : 0);
    if (zero) std::fill(setup.trace.keys.begin(), setup.trace.keys.end(), std::uint16_t{0});
    CampaignOptions options = setup.options();
    options.codes = {"none"};
    options.score_trials = 20;
    options.rates = {0.05};
    const Point point = setup.run(options).points[0];
    CHECK(point.holds());
    CHECK(point.scored == 0);
    for (const Statistic& s : point.statistics) CHECK_AT(s.name, s.name.substr(0, 5) != "score");
    CHECK(point.worst.rms < 0);
    CHECK(setup.workload("none").score_error({1e30F}).rms == 0);
  }
}

TEST_CASE("more trials than the generator numbers are rejected") {
  const test::Setup setup;
  CampaignOptions options = setup.options();
  options.codewords = (std::uint64_t{1} << 32) * 16 * 28 + 1;
  CHECK_THROWS_AS(setup.run(options), std::invalid_argument);
  CHECK(trials_for(448, 448) == 1);
  CHECK(trials_for(449, 448) == 2);
}

TEST_CASE("rare events are sampled by weight") {
  const test::Setup setup;
  CampaignOptions options = setup.options();
  options.codes = {"golay24", "hsiao_72_64"};
  options.rates = {1e-5};
  const CampaignReport report = setup.run(options);
  CHECK(report.holds());
  for (const Point& point : report.points) {
    CASE(point.code);
    const Statistic& s = point.at("miscorrected");
    CHECK(std::string(s.method) == "stratified");
    CHECK(s.events == 0);
    CHECK(s.rate == doctest::Approx(*s.expected).epsilon(0.02));
    CHECK(s.interval.low <= s.rate);
    CHECK(s.interval.high >= s.rate);
    CHECK(s.interval.high < 1.05 * s.rate);
    CHECK(point.strata.size() == 12);
  }
  // Every double error is miscorrected by hamming74, detected by hamming84
  // (references.md#ecc-kv-cache, sections 5.1.4 and 5.2).
  const auto strata = [&](const char* code) {
    return sample_strata(setup.workload(code), {1, 0, 0}, 100);
  };
  CHECK(strata("hamming74")[1].words[kMiscorrected] == 21);
  CHECK(strata("hamming84")[1].words[kDetected] == 28);
  CHECK(strata("golay24")[3].words[kDetected] == 10626);
}

TEST_CASE("bursts, interleaved and not, and stuck cells agree with their closed forms") {
  const test::Setup setup;
  CampaignOptions options = setup.options();
  options.codes = {"none", "hamming74", "hamming84", "golay24", "hsiao_22_16"};
  options.trials = 2000;
  options.model = {ModelKind::burst, 0, {{1, 0.5}, {2, 0.3}, {6, 0.2}}, false};
  options.rates = {0.5};
  const CampaignReport plain = setup.run(options, 2);
  CHECK(plain.holds());
  for (const Point& point : plain.points) CHECK_AT(point.code, point.at("word_failure").events > 0);
  options.model.interleave = true;
  const CampaignReport woven = setup.run(options, 2);
  CHECK(woven.holds());
  for (const Point& point : woven.points) {
    CASE(point.code);
    if (point.code != "none") CHECK(point.at("word_failure").events == 0);
  }
  options.model = {ModelKind::stuck, 0, {}, false};
  options.rates = {0.02};
  CHECK(setup.run(options, 2).holds());
}

TEST_CASE("single flips are exhausted") {
  const test::Setup setup(4, 1);
  CampaignOptions options = setup.options();
  options.codes = {"hamming84", "none"};
  options.model.kind = ModelKind::single_flip;
  options.rates = {0};
  options.trials = 1'000'000;
  const CampaignReport report = setup.run(options);
  CHECK(report.holds());
  CHECK(report.points[0].trials == 28 * 8);
  CHECK(report.points[0].sum.words[kCorrected] == 4 * 28 * 7);
  CHECK(report.points[0].sum.words[kParityOnly] == 4 * 28);
  CHECK(report.points[1].sum.words[kMiscorrected] == 4 * 112);
  CHECK(std::string(report.points[0].at("corrected").method) == "exhaustive");
}

TEST_CASE("single flips cut short are held against the bits they visit") {
  const test::Setup setup(4, 1);
  CampaignOptions options = setup.options();
  options.codes = {"none", "hamming84", "golay24"};
  options.model.kind = ModelKind::single_flip;
  options.rates = {0};
  for (const std::uint64_t trials : {1, 7, 40, 111}) {  // the first bits are no sample of all
    CASE(trials);
    options.trials = trials;
    const CampaignReport report = setup.run(options);
    CHECK(report.holds());
    CHECK(report.points[0].at("index_error").expected);
    CHECK(report.points[0].at("norm_error").events == 4 * (trials > 96 ? trials - 96 : 0));
    CHECK(std::string(report.points[0].at("norm_error").method) == "exhaustive");
  }
}

}  // namespace
