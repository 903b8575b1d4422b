#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "axelram/commands/progress.hpp"
#include "axelram/engines/engine.hpp"
#include "axelram/faults/campaign.hpp"
#include "axelram/faults/dump.hpp"
#include "axelram/faults/processes.hpp"

namespace axelram::commands {

struct FaultsOptions {
  std::string config, trace, json, plot, dump;
  EngineKind engine = EngineKind::fast;
  faults::FaultModel model;  ///< its rate is taken from `rates`
  std::vector<double> rates;
  std::vector<std::string> codes;       ///< empty: the configuration's
  std::vector<ErasurePolicy> policies;  ///< empty: the configuration's
  std::uint64_t trials = 100, codewords = 0, score_trials = 100, seed = 1;
  double width = 0;
  std::uint64_t threads = 0;  ///< 0: one for each core
  bool force = false;
};

struct FaultsResult {
  files::Config config;
  std::string trace;
  EngineKind engine;
  std::uint64_t seed = 1;
  faults::FaultModel model;
  faults::CampaignReport report;
  std::vector<std::string> dumped;  ///< files written for replay
};

/// Runs a bit-error campaign on all `processes` and writes its files on the first. Every process
/// returns the same result, apart from `dumped`.
FaultsResult run_faults(const FaultsOptions& options, const faults::Processes& processes,
                        const Progress& progress = {}, const Show<FaultsResult>& show = {});

std::string to_json(const FaultsResult& result);

struct ReplayOptions {
  std::string config, trace, replay;  ///< replay: a dumped case
  EngineKind engine = EngineKind::fast;
};

struct ReplayResult {
  faults::Case dumped;
  faults::Replay replay;
  bool holds() const { return replay.same_masks && replay.same_outcome; }
};

/// Runs a dumped case again.
ReplayResult replay_case(const ReplayOptions& options, const Progress& progress = {});

}  // namespace axelram::commands
