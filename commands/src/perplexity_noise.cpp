#include "perplexity_noise.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/faults/intervals.hpp"
#include "axelram/simd.hpp"
#include "axelram/transformer/other_level.hpp"
#include "time_left.hpp"

namespace axelram::commands {

double noise_of_mean(std::span<const std::vector<double>> changes, std::size_t all) {
  double squares = 0;
  std::size_t blocks = 0, predictions = 0;
  for (const std::span<const double> run : changes) {
    predictions += run.size();
    for (std::size_t first = 0; first < run.size(); first += kNoiseBlock, ++blocks) {
      double sum = 0;
      for (const double change : run.subspan(first, std::min(kNoiseBlock, run.size() - first)))
        sum += change;
      squares += sum * sum;
    }
  }
  if (blocks == 0) return 0;
  const double variance = squares / (static_cast<double>(predictions) * static_cast<double>(all));
  return faults::student_quantile(static_cast<double>(blocks)) * std::sqrt(variance);
}

std::optional<SimdLevel> other_level() {
  switch (simd_level()) {
    case SimdLevel::avx512:
      return SimdLevel::avx2;
    case SimdLevel::avx2:
      return SimdLevel::portable;
    case SimdLevel::portable:
      break;
  }
  if (best_simd_level() == SimdLevel::portable) return {};
  return SimdLevel::avx2;
}

std::size_t noise_windows(std::size_t all) {
  return std::min<std::size_t>(all, std::clamp<std::size_t>(all / 16, 2, 8));
}

std::optional<DeltaNoise> measure_noise(const PerplexityOptions& options, const NoiseRun& baseline,
                                        const std::vector<NoiseRun>& runs,
                                        const ModelAndText& input,
                                        const std::vector<perplexity::Window>& windows,
                                        const Progress& progress) {
  const std::optional<SimdLevel> level = other_level();
  // The engines on the CPU give equal results; a GPU has other sums.
  if (!level || options.engine == EngineKind::cuda) return {};
  const std::vector<perplexity::Window> some(
      windows.begin(),
      windows.begin() + static_cast<std::ptrdiff_t>(noise_windows(windows.size())));
  std::vector<caches::Specification> caches = {baseline.cache};
  for (const NoiseRun& run : runs) caches.push_back(run.cache);
  const transformer::OtherLevel other(*level);
  const engines::PerplexityModel model = engines::perplexity_model(
      EngineKind::fast,
      {input.checkpoint, caches, some, thread_count(options.model.threads), lines_of(progress)});
  const std::vector<perplexity::Scores> again = perplexity::evaluate(
      *model.predictor, input.text.ids, some,
      [&](const perplexity::Progress& at) { tell(progress, step_of("noise of delta", at)); });

  const std::size_t count = again.front().nll.size();
  std::vector<std::vector<double>> changes(runs.size(), std::vector<double>(count));
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (std::size_t i = 0; i < count; ++i)
      changes[run][i] = (runs[run].scores->nll[i] - baseline.scores->nll[i]) -
                        (again[1 + run].nll[i] - again[0].nll[i]);
  return DeltaNoise{simd_level_name(simd_level()), simd_level_name(*level), count * runs.size(),
                    noise_of_mean(changes, baseline.scores->nll.size())};
}

}  // namespace axelram::commands
