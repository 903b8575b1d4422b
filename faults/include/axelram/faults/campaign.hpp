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

/// Where a campaign is.
struct Progress {
  std::string code;
  double rate = 0;
  std::uint64_t done = 0, trials = 0;  ///< of this code and rate; a width may end them early
};

struct CampaignOptions {
  std::vector<std::string> codes;
  std::vector<ErasurePolicy> policies;
  FaultModel model;           ///< its rate is taken from `rates`
  std::vector<double> rates;  ///< single flips: one entry, of no use
  std::uint64_t seed = 1;

  std::uint64_t trials = 100;             ///< at most; single flips: at most one for each bit
  std::uint64_t codewords = 0;            ///< enough trials for so many words, instead of `trials`
  double width = 0;                       ///< stop once the interval of word failures is so narrow,
                                          ///< relative to the rate
  std::uint64_t score_trials = 100;       ///< the first ones are scored
  std::uint64_t strata_samples = 20'000;  ///< of each weight, where events are rare

  EngineFactory engine;  ///< whose results count
  EngineFactory golden;  ///< empty: `engine` is golden
  RecordDecoder decode;  ///< on trial in the word statistics; empty: RecordCode::decode
  std::function<void(const Progress&)> progress;  ///< may be empty
};

/// One code, one rate, one policy.
struct Point {
  std::string code;
  ErasurePolicy policy = ErasurePolicy::keep;
  FaultModel model;
  std::uint64_t trials = 0, scored = 0;
  std::uint64_t codewords = 0;
  TrialResult sum;  ///< words by outcome and injected flips
  std::vector<Statistic> statistics;
  std::vector<Stratum> strata;        ///< where a statistic is stratified
  std::uint64_t engine_differed = 0;  ///< scored trials in which the engine was not as specified
  std::optional<std::uint64_t> miscorrected_trial;
  Totals::Worst worst;  ///< by relative RMS of the scores

  const Statistic& at(const std::string& name) const;
  bool holds() const;
};

struct CampaignReport {
  std::vector<Point> points;  ///< by rate, then code, then policy
  std::size_t tested = 0;     ///< statistics with a closed form or a bound
  bool holds() const;
};

/// Throws std::invalid_argument for more than kMaxTrials trials. The same report for any
/// distributor. Every fault comes from options.seed; the configuration's
/// layer and head are part of the site.
CampaignReport run_campaign(const files::Config& config, const CampaignOptions& options,
                            Distributor& distributor);

/// Trials are numbered by one word of the generator's counter.
constexpr std::uint64_t kMaxTrials = std::uint64_t{1} << 32;
/// That so many codewords take, `words` to a trial.
std::uint64_t trials_for(std::uint64_t codewords, std::uint64_t words);

Site site_of(const files::Config& config, std::uint64_t seed);
/// Policies that make a difference: without a code there are no erasures.
std::vector<ErasurePolicy> policies_for(const std::string& code,
                                        const std::vector<ErasurePolicy>& policies);

}  // namespace axelram::faults
