#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axelram/faults/elements.hpp"
#include "axelram/faults/intervals.hpp"
#include "axelram/faults/patterns.hpp"
#include "axelram/faults/strata.hpp"
#include "axelram/faults/trial.hpp"
#include "axelram/faults/weights.hpp"

namespace axelram::faults {

/// One measured figure beside its closed form.
struct Statistic {
  std::string name;
  double events = 0, of = 0;  ///< rate = events / of, except where it is stratified
  double rate = 0;
  Interval interval;               ///< 95 %; not known: too few values
  std::optional<double> expected;  ///< none: no closed form
  std::optional<double> p_value;   ///< of `expected`; none: not tested
  const char* method = "sampled";  ///< sampled, stratified or exhaustive
  bool holds = true;               ///< the verdict over the whole table
};

/// Sums over trials, in their order.
struct Totals {
  std::uint64_t trials = 0;
  TrialResult sum;
  std::vector<double> score_rms[kPolicies], score_max[kPolicies];  ///< of scored trials
  struct Worst {
    double rms = -1;
    std::uint64_t trial = 0;
  };
  Worst worst[kPolicies];
  std::optional<std::uint64_t> miscorrected_trial;  ///< the first
  std::uint64_t engine_differed = 0;                ///< trials

  void add(std::uint64_t trial, const TrialResult& result, const std::vector<ErasurePolicy>& of);
};

/// The closed forms of a code and the figures of its totals.
class CampaignStatistics {
 public:
  CampaignStatistics(const Workload& workload, const Site& site, std::uint64_t strata_samples);

  std::vector<Statistic> statistics(const FaultModel& model, const FaultSource& source,
                                    ErasurePolicy policy, const Totals& totals);

  const WordProfile& profile() const { return profile_; }
  /// Those the last statistics() used; empty if none.
  const std::vector<Stratum>& strata_used() const { return used_; }

 private:
  const Workload& workload_;
  Site site_;
  std::uint64_t strata_samples_;
  WordProfile profile_;
  ElementModel elements_;
  std::vector<Stratum> strata_, used_;

  Statistic word_statistic(Outcome outcome, const Totals& totals, double p);
  std::vector<Statistic> independent(ErasurePolicy policy, const Totals& totals, double p);
  std::vector<Statistic> enumerated(const FaultModel& model, const FaultSource& source,
                                    ErasurePolicy policy, const Totals& totals);
};

/// The bit error rate of a model whose bits flip independently; none for the others.
std::optional<double> bit_error_rate(const FaultModel& model, const FaultSource& source);

const char* outcome_name(std::size_t outcome);

/// Sets `holds` of every tested statistic by Holm's procedure at family-wise level 1e-3 over all of
/// them; returns whether all hold.
bool judge(const std::vector<Statistic*>& table);

}  // namespace axelram::faults
