#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"
#include "axelram/stress/folder.hpp"

namespace axelram::commands {

struct StressOptions {
  ModelOptions model;  ///< its text is used to measure the ratio of norms; may be empty
  std::string output, json;
  stress::Changes changes;
  bool all_layers = false;  ///< instead of changes.layers
  bool fit_bias = false;    ///< choose the bias for the ratio, not the gain
  double ratio = 0;         ///< 0: not given
  bool force = false;
};

struct StressResult {
  std::string model, output;
  stress::Changes changes;  ///< as applied
  std::optional<stress::RatioFit> fit;
  stress::Written written;
};

/// Writes a model of the same function with harder keys. `show` gets all but `written`.
StressResult stress_model(const StressOptions& options, const Show<StressResult>& show = {});

std::string to_json(const StressResult& result);

}  // namespace axelram::commands
