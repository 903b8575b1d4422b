#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "axelram/caches/specification.hpp"
#include "axelram/commands/perplexity.hpp"
#include "axelram/simd.hpp"

namespace axelram::commands {

/// Noise of the mean nll over `all` predictions, from the predictions of a sample: for each, how
/// much the difference to the baseline changed with the instruction set. Consecutive predictions
/// share what changed in their keys, so blocks of kNoiseBlock are taken as independent draws with
/// mean 0.
double noise_of_mean(std::span<const double> changes, std::size_t all);
constexpr std::size_t kNoiseBlock = 32;

/// An instruction set of this CPU beside the one in use, the lower one if there are two.
std::optional<SimdLevel> other_level();

/// Windows at the beginning of the text that are scored again: one of 16, at most 8.
std::size_t noise_windows(std::size_t all);

/// Scores the first windows again, with the baseline and one cache, at another instruction set.
/// `first` are the scores that the usual one gave. Bit errors are those of the same windows.
std::optional<DeltaNoise> measure_noise(const PerplexityOptions& options,
                                        const std::vector<caches::Specification>& pair,
                                        const ModelAndText& input,
                                        const std::vector<perplexity::Window>& windows,
                                        const perplexity::Scores& baseline,
                                        const perplexity::Scores& cache, const Progress& progress);

}  // namespace axelram::commands
