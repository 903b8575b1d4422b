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

/// Rare events by weight: patterns of each weight hit stored words in turn, and what became of them
/// is weighted with the binomial probability of the weight. All patterns of a weight where they are
/// few; otherwise uniformly drawn ones, by counter words (0xB0000000 + weight * 2^16 + draw/4,
/// sample, place, 0).
struct Stratum {
  int weight = 0;
  std::uint64_t samples = 0;
  bool exhaustive = false;
  std::array<std::uint64_t, kOutcomes> words{};
};

/// Patterns of one weight that are enumerated rather than drawn.
constexpr double kEnumerated = 100'000;
constexpr int kHeaviest = 12;
std::vector<Stratum> sample_strata(const Workload& workload, const Site& site,
                                   std::uint64_t samples);

struct StratifiedRate {
  double rate = 0;
  Interval interval;   ///< MOVER (Zou and Donner 2008) of the strata's Wilson intervals, those
                       ///< enumerated without any; the probability of heavier patterns is added
  double p_value = 1;  ///< Bonferroni over the strata's exact tests
};
/// `outcome` of kCorrected .. kFailed; `expected`: its patterns by weight.
StratifiedRate stratified_rate(const std::vector<Stratum>& strata, Outcome outcome,
                               const WeightCounts& expected, double p);

/// Whether the strata reach all that matters of an event at bit error rate p.
bool strata_suffice(const WeightCounts& expected, double p);

}  // namespace axelram::faults
