#include "axelram/commands/perplexity.hpp"

#include <algorithm>
#include <limits>

#include "axelram/caches/cache.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/safetensors.hpp"
#include "in_model.hpp"
#include "json.hpp"
#include "outputs.hpp"
#include "perplexity_noise.hpp"
#include "plot.hpp"
#include "time_left.hpp"

namespace axelram::commands {
namespace {

using caches::Specification;

/// The cache with each seed, or as specified if there are no seeds.
std::vector<Specification> caches_of(const PerplexityOptions& options) {
  const Specification asked = caches::parse_specification(options.cache);
  if (options.seeds.empty()) return {asked};
  std::vector<Specification> specifications;
  for (const std::uint64_t seed : options.seeds) {
    Specification one = asked;
    if (!caches::reseed(&one, seed))
      throw files::InputError("--seeds: " + caches::nothing_random(one));
    specifications.push_back(one);
  }
  return specifications;
}

/// Bytes of the text that the predicted ids encode: all but the first id.
std::optional<double> predicted_bytes(const tokens::TokenText& text) {
  if (text.bytes.empty()) return {};
  double sum = 0;
  for (std::size_t i = 1; i < text.bytes.size(); ++i) sum += text.bytes[i];
  return sum;
}

/// The text's windows through the baseline and each cache that differs from it.
PerplexityResult measure(const PerplexityOptions& options, const Specification& baseline,
                         const std::vector<Specification>& specifications,
                         const ModelAndText& input, const Progress& progress) {
  PerplexityResult result;
  const std::vector<perplexity::Window> windows =
      perplexity::windows_of(input.text, options.window, options.stride);
  engines::PerplexityRequest request{input.checkpoint,
                                     {baseline},
                                     windows,
                                     thread_count(options.model.threads),
                                     lines_of(progress)};
  for (const Specification& one : specifications)
    if (one != baseline) request.specifications.push_back(one);
  engines::PerplexityModel model = engines::perplexity_model(options.engine, request);
  result.device_name = model.device;
  result.baseline_bytes = model.bytes_per_token.front();
  result.cache_bytes = model.bytes_per_token.back();

  const auto at_step = [&](const perplexity::Progress& at) {
    tell(progress, step_of("perplexity", at));
    result.seconds = at.seconds;
    result.passed = at.tokens;
  };
  std::vector<perplexity::Scores> scores = in_model(options.model.model, [&] {
    return perplexity::evaluate(*model.predictor, input.text.ids, windows, at_step);
  });
  result.baseline = scores.front();
  for (std::size_t i = 0; i < specifications.size(); ++i) {
    PerplexityRun run;
    if (!options.seeds.empty()) run.seed = options.seeds[i];
    run.scores = std::move(scores[scores.size() == 1 ? 0 : i + 1]);
    result.runs.push_back(std::move(run));
  }
  model.predictor.reset();  // one model in memory at a time
  // The first cache that differs from the baseline stands for all.
  const auto differs = std::find_if(specifications.begin(), specifications.end(),
                                    [&](const Specification& one) { return one != baseline; });
  if (differs != specifications.end())
    result.noise = measure_noise(
        options, {baseline, *differs}, input, windows, result.baseline,
        result.runs[static_cast<std::size_t>(differs - specifications.begin())].scores, progress);
  return result;
}

void write_nll(const PerplexityOptions& options, const PerplexityResult& result) {
  const std::vector<double>& nll = result.runs.front().scores.nll;
  files::write_safetensors(
      options.nll, {files::view("nll", files::DataType::f64, {nll.size()}, nll)},
      {{"model", result.model}, {"text", result.text}, {"cache", result.cache}}, options.force);
}

void check(const PerplexityOptions& options) {
  if (options.stride >= options.window)
    throw files::InputError("--stride " + std::to_string(options.stride) +
                            "; it must be less than the window, " + std::to_string(options.window));
  if (options.nll.empty()) return;
  if (options.seeds.size() > 1)
    throw files::InputError("--nll holds one run; name one seed with it");
  for (const std::string& name : {options.model.model, options.model.text})
    if (files::first_invalid_utf8(name) != name.size())
      throw files::InputError(files::printable(name) +
                              ": no UTF-8, which the metadata of --nll must be; rename it");
}

void check_window(const PerplexityOptions& options, const ModelAndText& input,
                  std::size_t max_keys) {
  const std::size_t longest = input.text.separate
                                  ? input.text.columns
                                  : std::min<std::size_t>(options.window, input.text.columns);
  const std::size_t most = input.checkpoint.architecture.max_positions;
  if (longest > most)
    throw files::InputError("windows of " + std::to_string(longest) + " tokens; the model takes " +
                            std::to_string(most) + ": name a --window and a --stride below it");
  if (longest > max_keys)
    throw files::InputError("windows of " + std::to_string(longest) +
                            " tokens; macro.max_keys is " + std::to_string(max_keys) +
                            ": name a --window and a --stride below it");
}

}  // namespace

PerplexityResult measure_perplexity(const PerplexityOptions& options, const Progress& progress,
                                    const Show<PerplexityResult>& show) {
  check(options);
  Outputs outputs(options.force, input_files(options.model));
  // A wrong cache is rejected before a large model is read.
  const std::vector<Specification> specifications = caches_of(options);
  const Specification baseline = caches::parse_specification(options.baseline);
  std::vector<Specification> all = specifications;
  all.insert(all.begin(), baseline);
  std::size_t max_keys = std::numeric_limits<std::size_t>::max();  // of the smallest macro
  for (const Specification& one : all)
    for (const std::string& name : caches::configurations(one)) {
      const ConfigFile file = read_config(name);
      outputs.protect(file);
      max_keys = std::min(max_keys, static_cast<std::size_t>(file.config.max_keys));
    }
  for (const std::string& path : {options.json, options.nll, options.plot}) outputs.add(path);
  check_plot(options.plot);
  engines::check_perplexity(options.engine, all);

  std::optional<std::size_t> tokens;
  if (options.tokens != 0) tokens = options.tokens;
  const ModelAndText input = read_model_and_text(options.model, tokens);
  check_window(options, input, max_keys);
  PerplexityResult result = measure(options, baseline, specifications, input, progress);
  result.model = options.model.model;
  result.text = options.model.text;
  result.cache = caches::to_string(caches::parse_specification(options.cache));
  result.baseline_cache = options.baseline;
  result.engine = name_of(options.engine);
  result.device = result.device_name.empty() ? "cpu" : "cuda";
  result.window = input.text.separate ? input.text.columns : options.window;
  result.stride = input.text.separate ? input.text.columns : options.stride;
  result.bytes = predicted_bytes(input.text);

  show_figures(show, result);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  if (!options.nll.empty()) write_nll(options, result);
  if (!options.plot.empty()) write_plot(options.plot, perplexity_plot(result), options.force);
  return result;
}

}  // namespace axelram::commands
