#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "axelram/caches/specification.hpp"
#include "axelram/commands/perplexity.hpp"
#include "axelram/simd.hpp"

namespace axelram::commands {

/// Noise of the mean nll over `all` predictions, from the predictions of a sample, a list for each
/// run: for each prediction, how much the difference to the baseline changed with the instruction
/// set. Consecutive predictions share what changed in their keys, so blocks of kNoiseBlock are
/// taken as independent draws with mean 0.
double noise_of_mean(std::span<const std::vector<double>> changes, std::size_t all);
constexpr std::size_t kNoiseBlock = 32;

/// An instruction set of this CPU beside the one in use, the lower one if there are two.
std::optional<SimdLevel> other_level();

/// Windows at the beginning of the text that are scored again: one of 16, two to 8.
std::size_t noise_windows(std::size_t all);
/// Runs of a cache that score them again, at most. On a short text a single run may meet no key
/// next to a boundary and tell nothing.
constexpr std::size_t kNoiseRuns = 4;

/// A run of a cache and what the usual instruction set gave.
struct NoiseRun {
  caches::Specification cache;
  const perplexity::Scores* scores;
};

/// Scores the first windows again, with the baseline and each run, at another instruction set. Bit
/// errors are those of the same windows.
std::optional<DeltaNoise> measure_noise(const PerplexityOptions& options, const NoiseRun& baseline,
                                        const std::vector<NoiseRun>& runs,
                                        const ModelAndText& input,
                                        const std::vector<perplexity::Window>& windows,
                                        const Progress& progress);

}  // namespace axelram::commands
