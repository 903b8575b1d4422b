#include "perplexity_scores.hpp"

#include <algorithm>

#include "axelram/caches/cache.hpp"
#include "axelram/calibration/windows.hpp"
#include "axelram/fast.hpp"
#include "axelram/unit_table.hpp"
#include "in_model.hpp"
#include "key_source.hpp"

namespace axelram::commands {

void check_scores(const PerplexityOptions& options) {
  if (!options.scores) return;
  if (options.engine != EngineKind::golden && options.engine != EngineKind::fast)
    throw files::InputError("--scores: --engine " + std::string(name_of(options.engine)) +
                            " has none; use --engine golden or fast");
}

std::vector<std::vector<calibration::ScoreFigures>> figures_of_scores(
    const PerplexityOptions& options, const std::vector<caches::Specification>& caches,
    const ModelAndText& input, const Progress& progress) {
  const auto windows =
      calibration::consecutive_windows(input.text, std::min(kScoreTokens, input.text.ids.size()),
                                       std::min<std::size_t>(options.window, input.text.columns));
  // Keys beyond FP16 need a baseline in floats.
  const ElementFormat format =
      options.baseline == "f32" ? ElementFormat::bf16 : ElementFormat::fp16;
  KeySource source(options.model.threads, input.checkpoint, windows, format, progress);
  calibration::Queries queries;
  const calibration::Keys keys = in_model(
      options.model.model, [&] { return calibration::collect_keys(source.get(), &queries); });
  const UnitTable& units = options.engine == EngineKind::golden ? reference_units() : fast_units();
  std::vector<std::vector<calibration::ScoreFigures>> all;
  for (const caches::Specification& one : caches) {
    const auto cache =
        caches::make_cache(one, caches::shape_of(input.checkpoint.architecture), units);
    if (cache->keys_before_rotary())
      throw files::InputError("--scores: cache '" + caches::to_string(one) +
                              "' has keys before rotary embedding, which are not compared; use "
                              "rope=post, or leave out --scores");
    all.push_back(calibration::score_figures(keys, queries, *cache, {}, source.workers()));
  }
  return all;
}

}  // namespace axelram::commands
