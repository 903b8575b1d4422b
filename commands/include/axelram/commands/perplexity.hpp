#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/calibration/score_figures.hpp"
#include "axelram/commands/model.hpp"
#include "axelram/commands/progress.hpp"
#include "axelram/engines/engine.hpp"
#include "axelram/faults/intervals.hpp"
#include "axelram/perplexity/evaluate.hpp"

namespace axelram::commands {

struct PerplexityOptions {
  ModelOptions model;
  std::vector<std::string> caches;  ///< one or more
  std::string baseline = "fp16", json, nll, kl, ranks, plot;
  std::vector<std::uint64_t> seeds;  ///< empty: the cache as it is specified
  EngineKind engine = EngineKind::fast;
  std::uint64_t window = 256;  ///< (references.md#ecc-kv-cache, section 6)
  std::uint64_t stride = 0;    ///< 0: half the window
  std::uint64_t tokens = 0;    ///< 0: all
  /// Ids of a window that pass through the model together; 0: all. No result depends on it.
  std::uint64_t chunk = 0;
  std::string from;  ///< a state that every window of the one cache, a memory, goes on from; ""
  /// Windows are texts of their own, one after the other, each with its BOS if model.bos; all ids
  /// but the first are predicted. Ids that fill no window are left out. stride does not matter.
  bool separate = false;
  bool noise = true;    ///< measure the noise of delta
  bool scores = false;  ///< look at the scores of every layer and KV head
  bool force = false;
};

/// One cache over one text.
struct PerplexityRun {
  std::optional<std::uint64_t> seed;  ///< none if nothing of the cache is random
  perplexity::Scores scores;
};

/// How far delta depends on the order of floating-point sums, which the instruction set of the CPU
/// decides: the beginning of the text is scored again with another one.
struct DeltaNoise {
  std::string simd, other;      ///< instruction sets
  std::size_t predictions = 0;  ///< scored with both
  double nll = 0;  ///< 95 % of the changes of the mean nll of all predictions are within +- nll
};

/// One cache with all its seeds. Results of the same command share baseline, seconds and passed.
struct PerplexityResult {
  std::string model, text, cache, baseline_cache, engine;
  std::string device = "cpu";  ///< or cuda
  std::string device_name;     ///< of the GPU, or empty
  std::size_t window = 0, stride = 0;
  std::vector<std::size_t> window_predictions;  ///< scored in each window, in order
  std::size_t longest = 0;      ///< tokens of the longest window, and of the state before it
  std::optional<double> bytes;  ///< of the text that the predicted ids encode
  perplexity::Scores baseline;  ///< with `baseline_cache`
  engines::CacheBytes cache_bytes, baseline_bytes;
  std::vector<PerplexityRun> runs;
  /// None on a GPU, on a CPU with one instruction set, and if no cache differs from the baseline.
  std::optional<DeltaNoise> noise;
  std::vector<calibration::ScoreFigures> heads;  ///< of the first run, [layers, heads]; or none
  std::size_t kv_heads = 0;
  std::size_t slots = 0;  ///< of a memory of each layer and KV head; 0: the cache grows
  double seconds = 0;
  std::size_t passed = 0;  ///< tokens through the model, all caches together

  /// Over the runs.
  struct Spread {
    double mean, deviation, worst;  ///< deviation: 0 for one run
    faults::Interval interval;      ///< 95 % of the mean; none for one run
  };
  double bits_per_byte(const perplexity::Scores& scores) const;  ///< bytes must be known
  /// Bytes of the baseline with as many tokens as `longest`.
  double full_bytes() const {
    return baseline_bytes.per_token * static_cast<double>(longest) + baseline_bytes.per_sequence;
  }
  Spread spread(double (*of)(const PerplexityResult&, const PerplexityRun&)) const;
};

/// Quantities of a run.
double nll_of(const PerplexityResult& result, const PerplexityRun& run);
double perplexity_of(const PerplexityResult& result, const PerplexityRun& run);
double delta_of(const PerplexityResult& result, const PerplexityRun& run);  ///< to the baseline
/// Changes of delta with the instruction set are within +- this in 95 % of all cases: a delta that
/// is not larger is no finding. NaN if unknown.
double delta_noise_of(const PerplexityResult& result, const PerplexityRun& run);
/// Noise of the mean delta over the runs, whose changes are independent. NaN if unknown.
double mean_delta_noise(const PerplexityResult& result);
/// Whether a delta is larger than its noise. False if the noise is NaN.
bool is_finding(double delta, double noise);
double kl_of(const PerplexityResult& result, const PerplexityRun& run);
double top1_of(const PerplexityResult& result, const PerplexityRun& run);
double top5_of(const PerplexityResult& result, const PerplexityRun& run);
double agreement_of(const PerplexityResult& result, const PerplexityRun& run);

/// Perplexity of a language model whose KV cache is as specified, for each of the caches, beside a
/// baseline cache.
std::vector<PerplexityResult> measure_perplexity(
    const PerplexityOptions& options, const Progress& progress = {},
    const Show<std::vector<PerplexityResult>>& show = {});

/// An object; of several results {"caches": [...]}.
std::string to_json(const std::vector<PerplexityResult>& results);

}  // namespace axelram::commands
