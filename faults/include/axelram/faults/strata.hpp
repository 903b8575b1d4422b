#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "axelram/faults/fault_model.hpp"
#include "axelram/faults/intervals.hpp"
#include "axelram/faults/patterns.hpp"
#include "axelram/faults/weights.hpp"
#include "axelram/faults/workload.hpp"

namespace axelram::faults {

/// Outcomes of error patterns of one weight, for rates of rare events. Patterns of each weight are
/// applied to stored words in turn; the rate of an outcome is weighted with the binomial
/// probability of the weight. All patterns of a weight are used if they are few; otherwise they are
/// drawn uniformly by the Philox counter words (0xB0000000 + weight * 2^16 + draw/4, sample, place,
/// 0).
struct Stratum {
  int weight = 0;
  std::uint64_t samples = 0;
  bool exhaustive = false;
  std::array<std::uint64_t, kOutcomes> words{};
};

/// Weights with at most this many patterns are enumerated, not sampled.
constexpr double kMaxEnumerated = 100'000;
constexpr int kMaxWeight = 12;
std::vector<Stratum> sample_strata(const Workload& workload, const Site& site,
                                   std::uint64_t samples);

struct StratifiedRate {
  double rate = 0;
  /// MOVER of the Wilson intervals of the sampled strata (references.md#zou-donner). The upper end
  /// includes the probability of heavier patterns.
  Interval interval;
  double p_value = 1;  ///< Bonferroni over the strata's exact tests
};
/// outcome: kCorrected .. kFailed. expected: its error patterns by weight.
StratifiedRate stratified_rate(const std::vector<Stratum>& strata, Outcome outcome,
                               const WeightCounts& expected, double p);

/// True if patterns heavier than kMaxWeight are negligible for the event at bit error rate p.
bool strata_suffice(const WeightCounts& expected, double p);

}  // namespace axelram::faults
