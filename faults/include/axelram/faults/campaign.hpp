#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "axelram/faults/distributor.hpp"
#include "axelram/faults/statistics.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::faults {

/// Progress of a campaign.
struct Progress {
  std::string code;
  double rate = 0;
  std::uint64_t done = 0, trials = 0;  ///< of this code and rate; a width may end it early
};

struct CampaignOptions {
  std::vector<std::string> codes;
  std::vector<ErasurePolicy> policies;
  FaultModel model;           ///< its rate is replaced by each of `rates`
  std::vector<double> rates;  ///< single flips: one entry, ignored
  std::uint64_t seed = 1;

  std::uint64_t trials = 100;  ///< maximum; single flips: at most one for each bit
  /// Instead of `trials`: enough trials for this number of words; 0: unused.
  std::uint64_t codewords = 0;
  /// Stops when the interval of word failures is this narrow, relative to their rate; 0: never.
  double width = 0;
  std::uint64_t score_trials = 100;       ///< number of first trials that are scored
  std::uint64_t strata_samples = 20'000;  ///< for each weight, if events are rare

  EngineFactory engine;                           ///< its results are counted
  EngineFactory checker;                          ///< must give the same scores; may be empty
  RecordDecoder decode;                           ///< under test; empty: RecordCode::decode
  std::function<void(const Progress&)> progress;  ///< may be empty
};

/// Results at one code, one rate and one policy.
struct Point {
  std::string code;
  ErasurePolicy policy = ErasurePolicy::keep;
  FaultModel model;
  std::uint64_t trials = 0, scored = 0;
  std::uint64_t codewords = 0;
  TrialResult sum;  ///< words by outcome, injected flips
  std::vector<Statistic> statistics;
  std::vector<Stratum> strata;        ///< used by stratified statistics
  std::uint64_t engine_differed = 0;  ///< scored trials with TrialResult::engine_differs
  std::optional<std::uint64_t> miscorrected_trial;
  Totals::Worst worst;  ///< trial with the largest relative RMS error of the scores

  const Statistic& at(const std::string& name) const;
  bool holds() const;
};

struct CampaignReport {
  std::vector<Point> points;  ///< by rate, then code, then policy
  std::size_t tested = 0;     ///< statistics with a closed form or a bound
  bool holds() const;
};

/// Runs a campaign. Every distributor gives the same report: faults depend only on options.seed and
/// on the layer and head of the configuration. Throws std::invalid_argument for more than
/// kMaxTrials trials.
CampaignReport run_campaign(const files::Config& config, const CampaignOptions& options,
                            Distributor& distributor);

/// Trials are numbered by one 32-bit counter word (bit-contract.md#bit-errors).
constexpr std::uint64_t kMaxTrials = std::uint64_t{1} << 32;
/// Trials that contain at least `codewords` words; one trial has `words` words.
std::uint64_t trials_for(std::uint64_t codewords, std::uint64_t words);

Site site_of(const files::Config& config, std::uint64_t seed);
/// Policies that apply to a code: without a code there are no erasures, so only keep.
std::vector<ErasurePolicy> policies_for(const std::string& code,
                                        const std::vector<ErasurePolicy>& policies);

}  // namespace axelram::faults
