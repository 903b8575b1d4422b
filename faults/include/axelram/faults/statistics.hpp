#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "axelram/faults/elements.hpp"
#include "axelram/faults/intervals.hpp"
#include "axelram/faults/patterns.hpp"
#include "axelram/faults/profiles.hpp"
#include "axelram/faults/strata.hpp"
#include "axelram/faults/trial.hpp"

namespace axelram::faults {

/// One measured rate or mean beside its closed form.
struct Statistic {
  std::string name;
  double events = 0, of = 0;  ///< rate = events / of unless stratified
  double rate = 0;
  Interval interval;               ///< 95 %; unknown for too few values
  std::optional<double> expected;  ///< none: no closed form
  std::optional<double> p_value;   ///< none: not tested
  const char* method = "sampled";  ///< sampled, stratified or exhaustive
  bool holds = true;               ///< verdict of holm_test()
};

/// Statistics of one code: measured totals beside the closed forms.
class CampaignStatistics {
 public:
  CampaignStatistics(const Workload& workload, const Site& site, std::uint64_t strata_samples);

  std::vector<Statistic> statistics(const FaultModel& model, const FaultSource& source,
                                    ErasurePolicy policy, const Totals& totals);

  const WordProfile& profile() const { return profile_; }
  /// Strata that the last call of statistics() used; empty if none.
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

/// Bit error rate of a model whose bits flip independently; no value for the other models.
std::optional<double> bit_error_rate(const FaultModel& model, const FaultSource& source);

/// Sets `holds` of every tested statistic by Holm's procedure at family-wise level 1e-3. Returns
/// true if all hold.
bool holm_test(const std::vector<Statistic*>& table);

}  // namespace axelram::faults
