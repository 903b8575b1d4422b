#include "axelram/faults/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace axelram::faults {
namespace {

constexpr double kFamilyLevel = 1e-3;
constexpr double kFewEvents = 10;

Statistic sampled(std::string name, double events, double of, std::optional<double> expected,
                  double design_effect = 1) {
  Statistic s;
  s.name = std::move(name);
  s.events = events;
  s.of = of;
  s.rate = of == 0 ? 0 : events / of;
  s.interval = wilson(events / design_effect, of / design_effect);
  if (expected && !std::isnan(*expected)) {
    s.expected = expected;
    s.p_value = binomial_p_value(events / design_effect, of / design_effect, *expected);
  }
  return s;
}

/// Kish's design effect: variance of a sum over records, relative to the variance of the same
/// number of independent events; at least 1.
double design_effect(double sum, double sum_of_squares, double records, double of) {
  const double rate = sum / of, variance = sum_of_squares - sum * sum / records;
  return rate == 0 || rate == 1 ? 1 : std::max(1.0, variance / (of * rate * (1 - rate)));
}

/// Tests a statistic without a closed form against an upper bound: the rate of failed words.
Statistic bounded(Statistic s, double bound) {
  if (!s.expected) s.p_value = binomial_above(s.events, s.of, std::min(1.0, bound));
  return s;
}

/// Bound on P(at least `damaged` damaged records) if each is damaged with probability at most
/// `chance` on average. An interpolated record depends on its neighbours, but every third record is
/// independent: one of `classes` = 3 classes contains at least a third of the damaged ones.
double damage_p_value(double damaged, double records, double chance, int classes) {
  const double share = std::ceil(damaged / classes);
  return std::min(1.0, classes * binomial_above(share, records, std::min(1.0, chance)));
}

/// Exact test of counts by record: the number of records with each count is binomial.
double histogram_p_value(const Histogram& seen, const CountDistribution& expected, double records) {
  double smallest = 1;
  int classes = 0;
  for (std::size_t count = 1; count < seen.size(); ++count) {
    const double p = expected.probability[count];
    if (p == 0 && seen[count] == 0) continue;
    ++classes;
    smallest = std::min(
        smallest, binomial_p_value(static_cast<double>(seen[count]), records, std::min(1.0, p)));
  }
  return std::min(1.0, smallest * std::max(classes, 1));
}

std::vector<Statistic> score_statistics(const Totals& totals, std::size_t policy) {
  std::vector<Statistic> result;
  const auto add = [&](const std::string& name, const Mean& mean, std::size_t trials) {
    Statistic s;
    s.name = name;
    s.of = static_cast<double>(trials);
    s.rate = mean.value;
    s.interval = mean.interval;
    if (s.interval.known()) s.interval.low = std::max(0.0, s.interval.low);
    result.push_back(s);
  };
  const auto both = [&](const std::string& name, const std::vector<double>& values) {
    if (values.empty()) return;
    add(name, mean_interval(values), values.size());
    add(name + "_median", median_interval(values), values.size());
  };
  both("score_rms", totals.score_rms[policy]);
  both("score_max", totals.score_max[policy]);
  return result;
}

const WeightCounts& counts_of(const WordProfile& profile, const WeightCounts& failed, Outcome o) {
  switch (o) {
    case kClean:
      return profile.clean;
    case kCorrected:
      return profile.corrected;
    case kParityOnly:
      return profile.parity_only;
    case kDetected:
      return profile.detected;
    case kMiscorrected:
      return profile.miscorrected;
    case kFailed:
      return failed;
  }
  throw std::logic_error("an outcome has no weights");
}

}  // namespace

std::optional<double> bit_error_rate(const FaultModel& model, const FaultSource& source) {
  switch (model.kind) {
    case ModelKind::bsc:
      return source.exact_rate();
    case ModelKind::stuck:
      return source.exact_rate() / 2;  // half of the stuck cells hold the right value
    case ModelKind::burst:
    case ModelKind::single_flip:
      return std::nullopt;
  }
  throw std::logic_error("a fault model has no bit error rate");
}

CampaignStatistics::CampaignStatistics(const Workload& workload, const Site& site,
                                       std::uint64_t strata_samples)
    : workload_(workload),
      site_(site),
      strata_samples_(strata_samples),
      profile_(word_profile(workload.code().code())),
      elements_(workload.code()) {}

std::vector<Statistic> CampaignStatistics::statistics(const FaultModel& model,
                                                      const FaultSource& source,
                                                      ErasurePolicy policy, const Totals& totals) {
  used_.clear();
  const std::optional<double> p = bit_error_rate(model, source);
  std::vector<Statistic> table =
      p ? independent(policy, totals, *p) : enumerated(model, source, policy, totals);
  for (Statistic& s : score_statistics(totals, static_cast<std::size_t>(policy))) {
    if (model.kind == ModelKind::single_flip && s.of == static_cast<double>(source.bits()))
      s.method = "exhaustive";
    table.push_back(std::move(s));
  }
  return table;
}

Statistic CampaignStatistics::word_statistic(Outcome outcome, const Totals& totals, double p) {
  const WeightCounts failed = profile_.failed();
  const WeightCounts& counts = counts_of(profile_, failed, outcome);
  const double expected = std::min(1.0, counts.at(p));
  const auto events = static_cast<double>(totals.sum.words[outcome]);
  const double words = static_cast<double>(totals.trials * workload_.tokens()) *
                       static_cast<double>(workload_.code().words());
  Statistic s = sampled(name_of(outcome), events, words, expected);
  const bool rare = expected > 0 && expected * words < kFewEvents;
  if (!rare || outcome == kClean || !strata_suffice(counts, p)) return s;
  if (strata_.empty()) strata_ = sample_strata(workload_, site_, strata_samples_);
  used_ = strata_;
  const StratifiedRate rare_rate = stratified_rate(strata_, outcome, counts, p);
  s.method = "stratified";
  s.rate = rare_rate.rate;
  s.interval = rare_rate.interval;
  // Both must agree with the closed form: the strata and the events of the campaign.
  s.p_value = std::min(1.0, 2 * std::min(rare_rate.p_value, *s.p_value));
  return s;
}

std::vector<Statistic> CampaignStatistics::independent(ErasurePolicy policy, const Totals& totals,
                                                       double p) {
  const RecordCode& code = workload_.code();
  const double records = static_cast<double>(totals.trials * workload_.tokens());
  const double bits = records * static_cast<double>(code.stored_bits());
  std::vector<Statistic> table;
  table.push_back(sampled("flips", static_cast<double>(totals.sum.injected), bits, p));
  for (std::size_t o = 0; o < kOutcomes; ++o)
    table.push_back(word_statistic(static_cast<Outcome>(o), totals, p));

  const TrialResult::Policy& seen = totals.sum.policies[static_cast<std::size_t>(policy)];
  const ElementRates rates = elements_.rates(policy, workload_.elements(), p);
  const auto per_record = static_cast<double>(code.elements());
  const double indices = records * per_record;
  const auto wrong = static_cast<double>(seen.wrong_indices);
  const double effect =
      design_effect(wrong, static_cast<double>(seen.wrong_indices_squared), records, indices);
  Statistic index = sampled("index_error", wrong, indices, rates.index, effect);
  const auto record = static_cast<double>(seen.damaged_records);
  // The design effect is measured too, and needs enough failed words. With fewer, the damaged
  // records are tested against the expected number of wrong indices.
  int shortest = code.fields()[0].bits;
  for (const RecordField& field : code.fields()) shortest = std::min(shortest, field.bits);
  const int per_word = (code.code().k + shortest - 2) / shortest + 1;  // at most
  const bool few = index.expected && *index.expected != 0 &&
                   std::max(wrong, *index.expected * indices) < 3 * kFewEvents * per_word;
  if (few)
    index.p_value = damage_p_value(record, records, *index.expected * per_record,
                                   policy == ErasurePolicy::interpolate ? 3 : 1);
  table.push_back(index);
  table.push_back(
      bounded(sampled("record_error", record, records, rates.record), rates.record_bound));
  const auto wrong_norms = static_cast<double>(seen.wrong_norms);
  const double norms = records * static_cast<double>(code.norms());
  const double norm_effect =
      design_effect(wrong_norms, static_cast<double>(seen.wrong_norms_squared), records, norms);
  table.push_back(bounded(sampled("norm_error", wrong_norms, norms, rates.norm, norm_effect),
                          rates.norm_bound));
  return table;
}

std::vector<Statistic> CampaignStatistics::enumerated(const FaultModel& model,
                                                      const FaultSource& source,
                                                      ErasurePolicy policy, const Totals& totals) {
  const RecordCode& code = workload_.code();
  const PatternTable table = pattern_table(code, model, source, totals.trials);
  const double records = static_cast<double>(totals.trials * workload_.tokens());
  // Single flips: the trials are the whole population, all bits or the first ones.
  const bool complete = model.kind == ModelKind::single_flip;
  const auto statistic = [&](const std::string& name, double events, double per_record,
                             const CountDistribution& expected, const Histogram& seen,
                             std::optional<double> rate, bool tested) {
    const double of = records * per_record, mean = expected.mean();
    const double effect = mean == 0
                              ? 1
                              : std::max(1.0, (expected.mean_square() - mean * mean) /
                                                  (mean * std::max(1e-300, 1 - mean / per_record)));
    Statistic s = sampled(name, events, of, rate, effect);
    if (tested) s.p_value = histogram_p_value(seen, expected, records);
    if (complete) {
      s.method = "exhaustive";
      s.interval = {s.rate, s.rate};
      if (rate) s.p_value = std::fabs(s.rate - *rate) < 1e-9 ? 1 : 0;
    }
    return s;
  };
  std::vector<Statistic> result;
  const auto bits = static_cast<double>(code.stored_bits());
  Statistic flips = sampled("flips", static_cast<double>(totals.sum.injected), records * bits,
                            table.injected / bits);
  flips.p_value.reset();  // flips of one upset are dependent; tested below by outcome
  if (complete) flips.method = "exhaustive";
  result.push_back(flips);
  const auto words = static_cast<double>(code.words());
  for (std::size_t o = 0; o < kOutcomes; ++o) {
    const double mean = table.words[o].mean() / words;
    result.push_back(statistic(name_of(static_cast<Outcome>(o)),
                               static_cast<double>(totals.sum.words[o]), words, table.words[o],
                               totals.sum.records[o], o == kClean ? 1 - mean : mean, true));
  }
  const bool closed = policy == ErasurePolicy::keep || table.words[kDetected].mean() == 0;
  const TrialResult::Policy& seen = totals.sum.policies[static_cast<std::size_t>(policy)];
  const auto d = static_cast<double>(code.elements());
  Statistic indices =
      statistic("index_error", static_cast<double>(seen.wrong_indices), d, table.indices,
                totals.sum.index_records,
                closed ? std::optional(table.indices.mean() / d) : std::nullopt, closed);
  // Repair changes only records in which a word failed.
  const auto& failures = table.words[kFailed].probability;
  const double failed = std::accumulate(failures.begin() + 1, failures.end(), 0.0);
  if (!closed)
    indices.p_value = damage_p_value(static_cast<double>(seen.damaged_records), records, failed, 1);
  result.push_back(indices);
  const auto of_norms = static_cast<double>(code.norms());
  Statistic norms =
      statistic("norm_error", static_cast<double>(seen.wrong_norms), of_norms, table.norms, {},
                closed ? std::optional(table.norms.mean() / of_norms) : std::nullopt, false);
  result.push_back(bounded(norms, failed));
  return result;
}

bool holm_test(const std::vector<Statistic*>& table) {
  std::vector<double> p_values;
  std::vector<Statistic*> tested;
  for (Statistic* s : table) {
    if (!s->p_value) continue;
    tested.push_back(s);
    p_values.push_back(*s->p_value);
  }
  const std::vector<bool> holds = holm(p_values, kFamilyLevel);
  for (std::size_t i = 0; i < tested.size(); ++i) tested[i]->holds = holds[i];
  return std::find(holds.begin(), holds.end(), false) == holds.end();
}

}  // namespace axelram::faults
