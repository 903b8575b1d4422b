#include "perplexity_noise.hpp"

#include <algorithm>
#include <cmath>

#include "axelram/faults/intervals.hpp"
#include "axelram/simd.hpp"
#include "axelram/transformer/other_level.hpp"
#include "time_left.hpp"

namespace axelram::commands {

double noise_of_mean(std::span<const double> changes, std::size_t all) {
  double squares = 0;
  std::size_t blocks = 0;
  for (std::size_t first = 0; first < changes.size(); first += kNoiseBlock, ++blocks) {
    double sum = 0;
    for (const double change :
         changes.subspan(first, std::min(kNoiseBlock, changes.size() - first)))
      sum += change;
    squares += sum * sum;
  }
  if (blocks == 0) return 0;
  const double variance =
      squares / (static_cast<double>(changes.size()) * static_cast<double>(all));
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
  return std::clamp<std::size_t>(all / 16, 1, std::min<std::size_t>(all, 8));
}

std::optional<DeltaNoise> measure_noise(const PerplexityOptions& options,
                                        const std::vector<caches::Specification>& pair,
                                        const ModelAndText& input,
                                        const std::vector<perplexity::Window>& windows,
                                        const perplexity::Scores& baseline,
                                        const perplexity::Scores& cache, const Progress& progress) {
  const std::optional<SimdLevel> level = other_level();
  // The engines on the CPU give equal results; a GPU has other sums.
  if (!level || options.engine == EngineKind::cuda) return {};
  const std::vector<perplexity::Window> some(
      windows.begin(),
      windows.begin() + static_cast<std::ptrdiff_t>(noise_windows(windows.size())));
  const transformer::OtherLevel other(*level);
  const engines::PerplexityModel model = engines::perplexity_model(
      EngineKind::fast,
      {input.checkpoint, pair, some, thread_count(options.model.threads), lines_of(progress)});
  const std::vector<perplexity::Scores> again = perplexity::evaluate(
      *model.predictor, input.text.ids, some,
      [&](const perplexity::Progress& at) { tell(progress, step_of("noise of delta", at)); });

  std::vector<double> changes(again[0].nll.size());
  for (std::size_t i = 0; i < changes.size(); ++i)
    changes[i] = (cache.nll[i] - baseline.nll[i]) - (again[1].nll[i] - again[0].nll[i]);
  return DeltaNoise{simd_level_name(simd_level()), simd_level_name(*level), changes.size(),
                    noise_of_mean(changes, cache.nll.size())};
}

}  // namespace axelram::commands
