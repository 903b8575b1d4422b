#include "plot.hpp"

namespace axelram::commands {

Plot perplexity_plot(const PerplexityResult& r) {
  const PerplexityResult::Spread spread = r.spread(perplexity_of);
  Plot plot;
  plot.title = r.cache;
  plot.x = {"seed", Plot::Scale::category};
  plot.y = {"perplexity", Plot::Scale::linear};
  Plot::Series runs{"one seed"};
  for (const PerplexityRun& run : r.runs) {
    runs.points.push_back({static_cast<double>(runs.points.size()), run.scores.perplexity()});
    plot.x.categories.push_back(run.seed ? std::to_string(*run.seed) : "");
  }
  plot.series = {runs};
  plot.levels = {{r.baseline_cache, r.baseline.perplexity(), true}, {"mean", spread.mean, false}};
  if (spread.interval.known()) plot.bands = {{"95 % of the mean", spread.interval}};
  return plot;
}

}  // namespace axelram::commands
