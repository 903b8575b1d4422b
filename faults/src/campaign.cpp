#include "axelram/faults/campaign.hpp"

#include <algorithm>
#include <stdexcept>

namespace axelram::faults {
namespace {

constexpr std::uint64_t kRound = 64;  // trials between checks of the stopping rule

/// Campaign of one code.
class CodeCampaign {
 public:
  CodeCampaign(const files::Config& config, const CampaignOptions& options, const std::string& code,
               Distributor& distributor)
      : options_(options),
        distributor_(distributor),
        site_(site_of(config, options.seed)),
        workload_(code, config.parameters, *options.engine(code)),
        statistics_(workload_, site_, options.strata_samples),
        policies_(policies_for(code, options.policies)) {}

  std::vector<Point> run(double rate) {
    FaultModel model = options_.model;
    model.rate = rate;
    const RecordCode& code = workload_.code();
    const FaultSource source(model, site_, code.words(), code.code().n);
    const Totals totals = run_trials(source, model);
    std::vector<Point> points;
    for (const ErasurePolicy policy : policies_)
      points.push_back(point(model, source, policy, totals));
    return points;
  }

 private:
  std::uint64_t limit(const FaultModel& model, const FaultSource& source) const {
    std::uint64_t trials = options_.trials;
    const std::uint64_t words = workload_.tokens() * workload_.code().words();
    if (options_.codewords != 0) trials = trials_for(options_.codewords, words);
    if (model.kind == ModelKind::single_flip)
      trials = std::min<std::uint64_t>(trials, source.bits());
    if (trials > kMaxTrials) throw std::invalid_argument("a campaign has at most 2^32 trials");
    return trials;
  }

  bool narrow(const Totals& totals) const {
    if (options_.width == 0 || totals.sum.words[kFailed] == 0) return false;
    double words = 0;
    for (std::size_t o = 0; o < kFailed; ++o) words += static_cast<double>(totals.sum.words[o]);
    const auto failed = static_cast<double>(totals.sum.words[kFailed]);
    const Interval interval = wilson(failed, words);
    return (interval.high - interval.low) * words <= options_.width * failed;
  }

  Totals run_trials(const FaultSource& source, const FaultModel& model) {
    const TrialPlan plan{&workload_,      &source,          policies_,
                         options_.engine, options_.checker, options_.decode};
    std::vector<std::unique_ptr<TrialRunner>> runners(distributor_.workers());
    const TrialTask task = [&](std::uint64_t trial, std::size_t worker) {
      if (!runners[worker]) runners[worker] = std::make_unique<TrialRunner>(plan);
      return runners[worker]->run(static_cast<std::uint32_t>(trial), trial < options_.score_trials);
    };
    Totals totals;
    const std::uint64_t trials = limit(model, source);
    while (totals.trials < trials && !narrow(totals)) {
      const std::uint64_t first = totals.trials;
      const std::uint64_t count = std::min(kRound, trials - first);
      const std::vector<TrialResult> results = distributor_.run(first, count, task);
      for (std::uint64_t i = 0; i < count; ++i) totals.add(first + i, results[i], policies_);
      if (options_.progress)
        options_.progress({workload_.code().name(), model.rate, totals.trials, trials});
    }
    return totals;
  }

  Point point(const FaultModel& model, const FaultSource& source, ErasurePolicy policy,
              const Totals& totals) {
    Point result;
    result.code = workload_.code().name();
    result.policy = policy;
    result.model = model;
    result.trials = totals.trials;
    result.scored = totals.score_rms[static_cast<std::size_t>(policy)].size();
    result.codewords = totals.trials * workload_.tokens() * workload_.code().words();
    result.sum = totals.sum;
    result.statistics = statistics_.statistics(model, source, policy, totals);
    result.strata = statistics_.strata_used();
    result.engine_differed = totals.engine_differed;
    result.miscorrected_trial = totals.miscorrected_trial;
    result.worst = totals.worst[static_cast<std::size_t>(policy)];
    return result;
  }

  const CampaignOptions& options_;
  Distributor& distributor_;
  Site site_;
  Workload workload_;
  CampaignStatistics statistics_;
  std::vector<ErasurePolicy> policies_;
};

}  // namespace

const Statistic& Point::at(const std::string& name) const {
  for (const Statistic& s : statistics)
    if (s.name == name) return s;
  throw std::logic_error("no statistic is called " + name);
}

bool Point::holds() const {
  return engine_differed == 0 && std::all_of(statistics.begin(), statistics.end(),
                                             [](const Statistic& s) { return s.holds; });
}

bool CampaignReport::holds() const {
  return std::all_of(points.begin(), points.end(), [](const Point& p) { return p.holds(); });
}

std::uint64_t trials_for(std::uint64_t codewords, std::uint64_t words) {
  return codewords / words + (codewords % words != 0 ? 1 : 0);
}

Site site_of(const files::Config& config, std::uint64_t seed) {
  return {seed, static_cast<std::uint32_t>(config.rotation.layer),
          static_cast<std::uint32_t>(config.rotation.head)};
}

std::vector<ErasurePolicy> policies_for(const std::string& code,
                                        const std::vector<ErasurePolicy>& policies) {
  return code == "none" ? std::vector<ErasurePolicy>{ErasurePolicy::keep} : policies;
}

CampaignReport run_campaign(const files::Config& config, const CampaignOptions& options,
                            Distributor& distributor) {
  CampaignReport report;
  std::vector<std::vector<Point>> by_rate(options.rates.size());
  for (const std::string& name : options.codes) {
    CodeCampaign campaign(config, options, name, distributor);
    for (std::size_t r = 0; r < options.rates.size(); ++r)
      for (Point& point : campaign.run(options.rates[r])) by_rate[r].push_back(std::move(point));
  }
  for (std::vector<Point>& points : by_rate)
    for (Point& point : points) report.points.push_back(std::move(point));

  std::vector<Statistic*> table;
  for (Point& point : report.points)
    for (Statistic& s : point.statistics) {
      if (s.p_value) ++report.tested;
      table.push_back(&s);
    }
  holm_test(table);
  return report;
}

}  // namespace axelram::faults
