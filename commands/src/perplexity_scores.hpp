#pragma once

#include <vector>

#include "axelram/caches/specification.hpp"
#include "axelram/calibration/score_figures.hpp"
#include "axelram/commands/perplexity.hpp"

namespace axelram::commands {

/// Figures of all layers and KV heads, [caches][layers, heads], over the first windows of the text,
/// at most kScoreTokens ids. Keys and queries are those of the baseline.
std::vector<std::vector<calibration::ScoreFigures>> figures_of_scores(
    const PerplexityOptions& options, const std::vector<caches::Specification>& caches,
    const ModelAndText& input, const Progress& progress);

constexpr std::size_t kScoreTokens = 2048;

/// Throws files::InputError for an engine that has no figures.
void check_scores(const PerplexityOptions& options);

}  // namespace axelram::commands
