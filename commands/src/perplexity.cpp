#include "axelram/commands/perplexity.hpp"

#include <algorithm>
#include <limits>

#include "axelram/caches/cache.hpp"
#include "axelram/caches/memory_setup.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/safetensors.hpp"
#include "beside_baseline.hpp"
#include "in_model.hpp"
#include "json.hpp"
#include "memory_sequence.hpp"
#include "outputs.hpp"
#include "perplexity_noise.hpp"
#include "perplexity_scores.hpp"
#include "plot.hpp"
#include "rows.hpp"
#include "score_warning.hpp"
#include "time_left.hpp"

namespace axelram::commands {
namespace {

using caches::Specification;

/// A cache as specified, and with each seed; without seeds the same alone.
struct Seeded {
  Specification asked;
  std::vector<Specification> runs;
};

Seeded seeded(const std::string& cache, const std::vector<std::uint64_t>& seeds) {
  Seeded result{caches::parse_specification(cache), {}};
  if (seeds.empty()) result.runs.push_back(result.asked);
  for (const std::uint64_t seed : seeds) {
    Specification one = result.asked;
    if (!caches::reseed(&one, seed))
      throw files::InputError("--seeds: " + caches::nothing_random(one));
    result.runs.push_back(one);
  }
  return result;
}

/// Bytes of the text that the predicted ids encode: all but the first id of each row.
std::optional<double> predicted_bytes(const tokens::TokenText& text) {
  if (text.bytes.empty()) return {};
  double sum = 0;
  for (std::size_t i = 0; i < text.bytes.size(); ++i)
    if (i % text.columns != 0) sum += text.bytes[i];
  return sum;
}

/// Slots of a memory of constant size; 0 for another cache.
std::size_t slots_of(const Specification& cache, const checkpoints::Checkpoint& model) {
  const caches::Memory* const memory = caches::memory_of(cache);
  if (memory == nullptr) return 0;
  const std::optional<checkpoints::Coda>& coda = model.architecture.coda;
  const MemoryOptions options = caches::memory_options(*memory, coda ? coda->memory : "");
  return static_cast<std::size_t>(options.window + options.exact + options.summary);
}

std::size_t stride_of(const PerplexityOptions& options) {
  return options.stride != 0 ? options.stride : options.window / 2;
}

/// The memories of --from, or none.
std::vector<MemoryState> states_of(const PerplexityOptions& options,
                                   const checkpoints::Checkpoint& model) {
  if (options.from.empty()) return {};
  return read_state(options.from, options.caches.front(), model).states;
}

/// The text's windows through the baseline and each cache that differs from it.
std::vector<PerplexityResult> measure(const PerplexityOptions& options,
                                      const Specification& baseline,
                                      const std::vector<Seeded>& caches, const ModelAndText& input,
                                      const Progress& progress) {
  PerplexityResult common;
  const std::vector<perplexity::Window> windows =
      perplexity::windows_of(input.text, options.window, stride_of(options));
  std::vector<MemoryState> states = states_of(options, input.checkpoint);
  const auto before = states.empty() ? 0 : static_cast<std::size_t>(states.front().tokens);
  for (const perplexity::Window& window : windows) {
    common.window_predictions.push_back(window.end - window.scored);
    common.longest = std::max(common.longest, before + window.size());
  }
  engines::PerplexityRequest request{
      input.checkpoint,   {baseline},    windows,          thread_count(options.model.threads),
      lines_of(progress), options.chunk, std::move(states)};
  for (const Seeded& cache : caches)
    for (const Specification& one : cache.runs)
      if (one != baseline) request.specifications.push_back(one);
  engines::PerplexityModel model = engines::perplexity_model(options.engine, request);
  common.device_name = model.device;
  common.baseline_bytes = model.bytes.front();

  const auto at_step = [&](const perplexity::Progress& at) {
    tell(progress, step_of("perplexity", at));
    common.seconds = at.seconds;
    common.passed = at.tokens;
  };
  const std::vector<perplexity::Scores> scores = in_model(options.model.model, [&] {
    return beside_baseline(options.baseline, options.engine, [&] {
      return perplexity::evaluate(*model.predictor, input.text.ids, windows, at_step);
    });
  });
  model.predictor.reset();  // one model in memory at a time
  common.baseline = scores.front();
  std::vector<PerplexityResult> results;
  std::size_t next = 1;  // of scores: caches that differ from the baseline, in order
  for (const Seeded& cache : caches) {
    PerplexityResult& result = results.emplace_back(common);
    std::vector<std::size_t> differ;  // the first runs that do stand for all
    for (std::size_t i = 0; i < cache.runs.size(); ++i) {
      const std::size_t place = cache.runs[i] == baseline ? 0 : next++;
      if (place != 0 && differ.size() < kNoiseRuns) differ.push_back(i);
      PerplexityRun run;
      if (!options.seeds.empty()) run.seed = options.seeds[i];
      run.scores = scores[place];
      result.cache_bytes = model.bytes[place];
      result.runs.push_back(std::move(run));
    }
    if (differ.empty() || !options.noise || !options.from.empty()) continue;
    std::vector<NoiseRun> runs;
    for (const std::size_t i : differ) runs.push_back({cache.runs[i], &result.runs[i].scores});
    result.noise =
        measure_noise(options, {baseline, &result.baseline}, runs, input, windows, progress);
  }
  return results;
}

/// One number for each prediction of the first run, in the files that were asked for.
void write_predictions(const PerplexityOptions& options, const PerplexityResult& result) {
  const perplexity::Scores& first = result.runs.front().scores;
  const files::Shape shape = {first.nll.size()};
  const files::Metadata metadata = {
      {"model", result.model}, {"text", result.text}, {"cache", result.cache}};
  const auto write = [&](const std::string& path, const files::Tensor& tensor) {
    if (!path.empty()) files::write_safetensors(path, {tensor}, metadata, options.force);
  };
  write(options.nll, files::view("nll", files::DataType::f64, shape, first.nll));
  write(options.kl, files::view("kl", files::DataType::f64, shape, first.kls));
  write(options.ranks, files::view("ranks", files::DataType::i32, shape, first.ranks));
}

void check(const PerplexityOptions& options) {
  if (stride_of(options) >= options.window && !options.separate)
    throw files::InputError("--stride " + std::to_string(options.stride) +
                            "; it must be less than the window, " + std::to_string(options.window));
  const bool predictions = !(options.nll.empty() && options.kl.empty() && options.ranks.empty());
  if (options.caches.size() > 1 && (predictions || !options.plot.empty()))
    throw files::InputError(
        "--nll, --kl, --ranks and --plot show one cache; name one --cache with them");
  if (!predictions) return;
  if (options.seeds.size() > 1)
    throw files::InputError("--nll, --kl and --ranks hold one run; name one seed with them");
  for (const std::string& name : {options.model.model, options.model.text})
    if (files::first_invalid_utf8(name) != name.size())
      throw files::InputError(
          files::printable(name) +
          ": no UTF-8, which the metadata of --nll, --kl and --ranks must be; rename it");
}

void check_from(const PerplexityOptions& options) {
  if (options.from.empty()) return;
  check_begin(options.model.bos, options.from);
  if (options.engine != EngineKind::golden && options.engine != EngineKind::fast)
    throw files::InputError("--from: --engine " + std::string(name_of(options.engine)) +
                            " has no memory; use --engine golden or fast");
  if (options.caches.size() > 1 || !options.seeds.empty())
    throw files::InputError("--from: a state has one memory; name one --cache and no --seeds");
  memory_named(options.caches.front());
}

void check_chunk(const PerplexityOptions& options, const std::vector<Specification>& caches) {
  if (options.chunk == 0) return;
  if (options.engine != EngineKind::golden && options.engine != EngineKind::fast)
    throw files::InputError("--chunk: --engine " + std::string(name_of(options.engine)) +
                            " takes whole windows alone; use --engine golden or fast");
  for (const Specification& cache : caches) caches::check_steps(cache, "--chunk");
}

/// The most tokens that a window can have.
struct WindowLimit {
  std::size_t most;
  std::string says;       ///< in front of the number
  std::string otherwise;  ///< what helps if no window is that short
};

/// The options of the longest window that a limit allows.
std::string window_within(const WindowLimit& limit, const PerplexityOptions& options) {
  if (limit.most < 2) return "a window has 2 tokens or more; give " + limit.otherwise;
  const std::string window = "give --window " + std::to_string(limit.most);
  return options.stride < limit.most ? window
                                     : window + " --stride " + std::to_string(limit.most / 2);
}

/// Checks windows of a text, or rows of ids, which no option shortens.
void check_window(const PerplexityOptions& options, const ModelAndText& input,
                  std::size_t max_keys) {
  const bool rows = input.text.separate;
  const std::size_t longest =
      rows ? input.text.columns : std::min<std::size_t>(options.window, input.text.columns);
  const std::size_t positions = input.checkpoint.architecture.max_positions;
  const WindowLimit limit =
      max_keys < positions
          ? WindowLimit{max_keys, "macro.max_keys is ", "a configuration with more keys"}
          : WindowLimit{positions, "the model takes ", "another model"};
  if (longest <= limit.most) return;
  throw files::InputError("windows of " + std::to_string(longest) + " tokens; " + limit.says +
                          std::to_string(limit.most) + ": " +
                          (rows ? "give shorter rows of ids" : window_within(limit, options)));
}

}  // namespace

std::vector<PerplexityResult> measure_perplexity(const PerplexityOptions& options,
                                                 const Progress& progress,
                                                 const Show<std::vector<PerplexityResult>>& show) {
  check(options);
  check_scores(options);
  check_from(options);
  Outputs outputs(options.force, input_files(options.model));
  if (!options.from.empty()) outputs.protect(options.from);
  // A wrong cache is rejected before a large model is read.
  std::vector<Seeded> seeded_caches;
  for (const std::string& cache : options.caches)
    seeded_caches.push_back(seeded(cache, options.seeds));
  const Specification baseline = caches::parse_specification(options.baseline);
  std::vector<Specification> all = {baseline};
  for (const Seeded& cache : seeded_caches)
    all.insert(all.end(), cache.runs.begin(), cache.runs.end());
  std::size_t max_keys = std::numeric_limits<std::size_t>::max();  // of the smallest macro
  for (const Specification& one : all) {
    for (const std::string& file : caches::other_files(one)) outputs.protect(file);
    for (const std::string& name : caches::configurations(one)) {
      const ConfigFile file = read_config(name);
      outputs.protect(file);
      if (caches::memory_of(one) != nullptr) continue;  // a memory takes any number of tokens
      max_keys = std::min(max_keys, static_cast<std::size_t>(file.config.max_keys));
    }
  }
  for (const std::string& path :
       {options.json, options.nll, options.kl, options.ranks, options.plot})
    outputs.add(path);
  check_plot(options.plot);
  check_chunk(options, all);
  engines::check_perplexity(options.engine, all);

  std::optional<std::size_t> tokens;
  if (options.tokens != 0) tokens = options.tokens;
  ModelAndText input = read_model_and_text(options.model, tokens);
  check_window(options, input, max_keys);
  if (options.separate && !input.text.separate)
    input.text = in_rows(input.text, options.window, options.model.bos);
  std::vector<Specification> firsts;
  for (const Seeded& cache : seeded_caches) firsts.push_back(cache.runs.front());
  warn_of_noise(options.model, input.checkpoint, input.text, firsts, progress);
  std::vector<PerplexityResult> results =
      measure(options, baseline, seeded_caches, input, progress);
  std::vector<std::vector<calibration::ScoreFigures>> figures(results.size());
  if (options.scores) figures = figures_of_scores(options, firsts, input, progress);
  for (std::size_t c = 0; c < results.size(); ++c) {
    PerplexityResult& result = results[c];
    result.heads = std::move(figures[c]);
    result.kv_heads = input.checkpoint.architecture.kv_heads;
    result.model = options.model.model;
    result.text = options.model.text;
    result.cache = caches::to_string(seeded_caches[c].asked);
    result.baseline_cache = options.baseline;
    result.engine = name_of(options.engine);
    result.device = result.device_name.empty() ? "cpu" : "cuda";
    result.window = input.text.separate ? input.text.columns : options.window;
    result.stride = input.text.separate ? input.text.columns : stride_of(options);
    result.bytes = predicted_bytes(input.text);
    result.slots = slots_of(seeded_caches[c].asked, input.checkpoint);
  }

  show_figures(show, results);
  if (!options.json.empty()) files::write_file(options.json, to_json(results), options.force);
  write_predictions(options, results.front());
  if (!options.plot.empty())
    write_plot(options.plot, perplexity_plot(results.front()), options.force);
  return results;
}

}  // namespace axelram::commands
