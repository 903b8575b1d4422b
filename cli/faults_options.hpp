#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "axelram/faults/fault_model.hpp"

namespace axelram::cli {

/// The command line of `axelram faults`.
struct FaultsOptions {
  std::string config, trace;
  std::string ber, burst, upset_rate, stuck;  ///< lists
  bool single_flips = false;
  bool interleave = false;
  std::string codes, erasures;  ///< lists; "": the configuration's
  std::string engine = "golden";
  std::uint64_t trials = 100, codewords = 0, score_trials = 100, seed = 1;
  double width = 0;
  std::uint64_t threads = 0;  ///< 0: one for each core
  std::string json, plot, dump, replay;
  bool details = false, force = false;
};

/// Declares the options; parsing throws CLI::ValidationError for values that make no sense.
void declare_faults(CLI::App* command, FaultsOptions* options);

/// What the options ask for; model.rate is left to the rates.
struct FaultsRequest {
  faults::FaultModel model;
  std::vector<double> rates;
};
/// Throws CLI::ValidationError where no fault model or several are named.
FaultsRequest faults_request(const FaultsOptions& options);

}  // namespace axelram::cli
