// Coverage of the 95 % intervals: of 200 seeds, 90 to 98 % must cover the closed form.
#include <map>

#include "setup.hpp"

namespace {

using namespace axelram;
using namespace axelram::faults;

constexpr int kSeeds = 200;

void check_coverage(const std::string& what, int covered) {
  CASE(what);
  CHECK(covered >= kSeeds * 90 / 100);
  CHECK(covered <= kSeeds * 98 / 100);
}

TEST_CASE("Wilson's 95 % intervals cover the closed form in 90 to 98 % of 200 campaigns") {
  const test::Setup setup(16, 1);
  struct Sampled {
    const char* code;
    double rate;  // with events enough of everything that is looked at
    std::vector<const char*> outcomes;
  };
  const std::vector<Sampled> cases = {
      {"hamming74", 0.03, {"clean", "corrected", "miscorrected"}},
      {"hamming84", 0.03, {"corrected", "parity_only", "detected", "miscorrected"}},
      {"golay24", 0.05, {"corrected", "detected", "miscorrected"}},
      {"hsiao_72_64", 0.03, {"corrected", "detected", "miscorrected"}}};
  for (const Sampled& sampled : cases) {
    CASE(sampled.code);
    std::map<std::string, int> covered;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      CASE(seed);
      CampaignOptions options = setup.options();
      options.codes = {sampled.code};
      options.policies = {ErasurePolicy::zero};
      options.rates = {sampled.rate};
      options.trials = 30;
      options.seed = seed;
      const Point point = setup.run(options).points[0];
      std::vector<const char*> names = sampled.outcomes;
      for (const char* name : {"flips", "word_failure", "index_error", "norm_error"})
        names.push_back(name);
      for (const char* name : names) {
        CASE(name);
        const Statistic& s = point.at(name);
        CHECK(std::string(s.method) == "sampled");
        covered[name] += s.interval.contains(*s.expected) ? 1 : 0;
      }
    }
    for (const auto& [name, count] : covered) {
      CASE(name, count);
      check_coverage(std::string(sampled.code) + ", " + name, count);
    }
  }
}

TEST_CASE("stratified 95 % intervals cover the closed form in 90 to 98 % of 200 seeds") {
  const test::Setup setup;
  // Light patterns are enumerated, up to weight 5 and 6: sampling is left to the heavier ones.
  for (const auto& [code, outcome] :
       {std::pair{"golay24", kMiscorrected}, std::pair{"golay24", kDetected},
        std::pair{"hsiao_22_16", kMiscorrected}}) {
    CASE(code, outcome);
    const Workload workload = setup.workload(code);
    const WordProfile profile = word_profile(workload.code().code());
    const WeightCounts& counts = outcome == kDetected ? profile.detected : profile.miscorrected;
    const double p = 0.04;  // heavy patterns matter, so that the interval has some width
    int covered = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const StratifiedRate rate =
          stratified_rate(sample_strata(workload, {seed, 0, 0}, 300), outcome, counts, p);
      covered += rate.interval.contains(counts.at(p)) ? 1 : 0;
    }
    check_coverage(std::string(code) + ", stratified " + name_of(outcome), covered);
  }
}

}  // namespace
