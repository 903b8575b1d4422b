#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/faults/intervals.hpp"
#include "axelram/perplexity/evaluate.hpp"

namespace axelram::cli {

/// One cache over one text.
struct PerplexityRun {
  std::optional<std::uint64_t> seed;  ///< none where nothing of the cache is random
  perplexity::Scores scores;
};

/// What `axelram perplexity` found, ready to be printed.
struct PerplexityReport {
  std::string model, text, cache, baseline_cache, engine;
  std::string device = "cpu";  ///< or cuda
  std::string device_name;     ///< of the GPU, or empty
  std::size_t window = 0, stride = 0;
  std::optional<double> bytes;                 ///< that the predicted ids stand for
  perplexity::Scores baseline;                 ///< with `baseline_cache`
  double cache_bytes = 0, baseline_bytes = 0;  ///< a token, all layers and heads
  std::vector<PerplexityRun> runs;
  double seconds = 0;
  std::size_t passed = 0;  ///< tokens through the model, all caches together

  /// Over the runs.
  struct Spread {
    double mean, deviation, worst;  ///< deviation: 0 for one run
    faults::Interval interval;      ///< 95 % of the mean; none for one run
  };
  double bits_per_byte(const perplexity::Scores& scores) const;  ///< bytes must be known
  Spread spread(double (*of)(const PerplexityReport&, const PerplexityRun&)) const;
};

/// Quantities of a run.
double nll_of(const PerplexityReport& report, const PerplexityRun& run);
double perplexity_of(const PerplexityReport& report, const PerplexityRun& run);
double delta_of(const PerplexityReport& report, const PerplexityRun& run);  ///< to the baseline
double kl_of(const PerplexityReport& report, const PerplexityRun& run);
double top1_of(const PerplexityReport& report, const PerplexityRun& run);
double top5_of(const PerplexityReport& report, const PerplexityRun& run);

std::string perplexity_text(const PerplexityReport& report);
std::string perplexity_json(const PerplexityReport& report);
/// The runs' perplexities as points, their mean and its interval, and the baseline, as SVG.
std::string perplexity_plot(const PerplexityReport& report);

}  // namespace axelram::cli
