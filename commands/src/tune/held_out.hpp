#pragma once

#include <string>
#include <vector>

#include "constants.hpp"

namespace axelram::commands::tunes {

/// Caches on the held-out windows, FP16 first.
struct HeldOut {
  std::vector<TuneScores> scores;
  std::vector<engines::CacheBytes> bytes;
};

/// Measures FP16 and the recipes, whose files are in the folder. Each window is noted under the
/// name of the step, so that a later call measures the others alone. Throws as
/// perplexity::evaluate.
HeldOut measure(const Work& work, const std::string& step, const std::vector<Recipe>& recipes);

}  // namespace axelram::commands::tunes
