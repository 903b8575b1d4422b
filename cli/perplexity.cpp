#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "axelram/caches/cache.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/safetensors.hpp"
#include "commands.hpp"
#include "cuda_predictor.hpp"
#include "model_arguments.hpp"
#include "outputs.hpp"
#include "perplexity_report.hpp"
#include "progress.hpp"
#include "rtl_cache.hpp"
#include "seeds.hpp"

namespace axelram::cli {
namespace {

using caches::Specification;

constexpr std::uint64_t kMaxTokens = std::uint64_t{1} << 40;

struct Options {
  ModelArguments model;
  std::string cache, baseline = "fp16", engine = "golden", device = "cpu", seeds, json, nll, plot;
  std::uint64_t window = 256, stride = 128;  // ECC paper, section 6
  std::uint64_t tokens = 0;                  ///< 0: all
  bool force = false;
};

/// Gives a part of the cache its seed; false where nothing in it is random.
bool reseed(caches::StoreSpecification* part, std::uint64_t seed) {
  caches::Faults* faults = nullptr;
  bool random = false;
  if (auto* axelram = std::get_if<caches::Axelram>(part)) {
    faults = &axelram->faults;
    const files::Rotation::Source source = files::read_config(axelram->config).rotation.source;
    if (!axelram->seed && source == files::Rotation::Source::seed) {
      axelram->seed = seed;
      random = true;
    }
  } else if (auto* int4 = std::get_if<caches::Int4>(part)) {
    faults = &int4->faults;
  }
  if (faults == nullptr || faults->ber == 0) return random;
  faults->seed = seed;
  return true;
}

/// The cache of every seed, or the one that was asked for where no seeds were.
std::vector<Specification> caches_of(const Options& options) {
  const Specification asked = caches::parse_specification(options.cache);
  if (options.seeds.empty()) return {asked};
  std::vector<Specification> specifications;
  for (const std::uint64_t seed : parse_seeds(options.seeds)) {
    Specification one = asked;
    const bool keys = reseed(&one.keys, seed), values = reseed(&one.values, seed);
    if (!keys && !values)
      throw files::InputError("--seeds: nothing of cache '" + options.cache +
                              "' is random; signs without seed= or a bit error rate would be");
    specifications.push_back(one);
  }
  return specifications;
}

std::unique_ptr<transformer::Cache> make(const Specification& specification,
                                         const caches::Shape& shape, const std::string& engine,
                                         Progress* progress) {
  if (engine == "rtl")
    return rtl_cache(specification, shape,
                     [progress](const std::string& line) { progress->show(line); });
  return caches::make_cache(
      specification, shape,
      engine == "reference" ? reference_units() : fast_units());
}

double bytes_per_token(const transformer::Cache& cache, const caches::Shape& shape) {
  return (cache.keys(0, 0)->bytes_per_token() + cache.values(0, 0)->bytes_per_token()) *
         shape.layers * shape.heads;
}

/// Bytes that the predicted ids stand for: all but the first of the text.
std::optional<double> predicted_bytes(const tokens::TokenText& text) {
  if (text.bytes.empty()) return {};
  double sum = 0;
  for (std::size_t i = 1; i < text.bytes.size(); ++i) sum += text.bytes[i];
  return sum;
}

std::string progress_line(const perplexity::Progress& at) {
  const double rate = static_cast<double>(at.tokens) / std::max(at.seconds, 1e-9);
  return "perplexity " + bar(at.tokens, at.of) + " " + std::to_string(100 * at.tokens / at.of) +
         " %, " + std::to_string(static_cast<std::uint64_t>(rate)) + " tokens/s";
}

/// Every cache, the baseline first.
std::vector<perplexity::Scores> evaluate(
    const Options& options, const ModelAndText& input,
    const std::vector<std::unique_ptr<transformer::Cache>>& made,
    const std::vector<Specification>& specifications,
    const std::function<void(const perplexity::Progress&)>& show, PerplexityReport* report) {
  const std::vector<perplexity::Window> windows =
      perplexity::windows_of(input.text, options.window, options.stride);
  if (options.device == "cuda") {
    const auto model = cuda_predictor(input.checkpoint, specifications, windows);
    report->device_name = model.device_name;
    return perplexity::evaluate(*model.predictor, input.text.ids, windows, show);
  }
  std::vector<const transformer::Cache*> all;
  for (const auto& cache : made) all.push_back(cache.get());
  transformer::Workers workers(thread_count(options.model));
  const transformer::Transformer model(input.checkpoint, workers);
  return perplexity::evaluate(model, input.text.ids, windows, all, show);
}

PerplexityReport measure(const Options& options, const std::vector<Specification>& specifications,
                         const ModelAndText& input) {
  const caches::Shape shape = caches::shape_of(input.checkpoint.architecture);
  Progress progress;
  const Specification baseline = caches::parse_specification(options.baseline);
  std::vector<std::unique_ptr<transformer::Cache>> made;
  std::vector<Specification> measured = {baseline};
  made.push_back(caches::make_cache(baseline, shape));
  for (const Specification& one : specifications)
    if (one != baseline || options.engine == "rtl") {
      made.push_back(make(one, shape, options.engine, &progress));
      measured.push_back(one);
    }
  PerplexityReport report;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto show = [&](const perplexity::Progress& at) {
    if (terminal) progress.show(progress_line(at));
    report.seconds = at.seconds;
    report.passed = at.tokens;
  };
  std::vector<perplexity::Scores> scores = evaluate(options, input, made, measured, show, &report);
  progress.clear();

  report.model = options.model.model;
  report.text = options.model.text;
  report.cache = caches::to_string(caches::parse_specification(options.cache));
  report.baseline_cache = options.baseline;
  report.engine = options.device == "cuda" ? "cuda" : options.engine;
  report.device = options.device;
  report.window = input.text.separate ? input.text.columns : options.window;
  report.stride = input.text.separate ? input.text.columns : options.stride;
  report.bytes = predicted_bytes(input.text);
  report.baseline_bytes = bytes_per_token(*made.front(), shape);
  report.cache_bytes = bytes_per_token(*made.back(), shape);
  report.baseline = scores.front();
  for (std::size_t i = 0; i < specifications.size(); ++i) {
    PerplexityRun run;
    if (!options.seeds.empty()) run.seed = parse_seeds(options.seeds)[i];
    run.scores = std::move(scores[made.size() == 1 ? 0 : i + 1]);
    report.runs.push_back(std::move(run));
  }
  return report;
}

void write_nll(const Options& options, const PerplexityReport& report) {
  const std::vector<double>& nll = report.runs.front().scores.nll;
  files::write_safetensors(
      options.nll, {files::view("nll", files::DataType::f64, {nll.size()}, nll)},
      {{"model", report.model}, {"text", report.text}, {"cache", report.cache}}, options.force);
}

void check(const Options& options) {
  if (options.stride >= options.window)
    throw files::InputError("--stride " + std::to_string(options.stride) +
                            "; it must be less than the window, " + std::to_string(options.window));
  if (!options.nll.empty() && !options.seeds.empty() && parse_seeds(options.seeds).size() > 1)
    throw files::InputError("--nll holds one run; name one seed with it");
  if (options.engine == "cuda")
    throw files::InputError(
        "--engine cuda: on a GPU all of the model runs; write --device cuda instead");
  if (options.device == "cuda" && options.engine != "golden")
    throw files::InputError("--engine " + options.engine +
                            ": goes with --device cpu only; the GPU's caches are its own");
}

int run(const Options& options) {
  check(options);
  Outputs outputs(options.force, input_files(options.model));
  for (const std::string& path : {options.json, options.nll, options.plot}) outputs.add(path);
  // Complains of a wrong cache before a large model is read.
  const std::vector<Specification> specifications = caches_of(options);
  if (options.device == "cuda") {
    std::vector<Specification> all = specifications;
    all.push_back(caches::parse_specification(options.baseline));
    check_cuda(all);
  }
  std::optional<std::size_t> tokens;
  if (options.tokens != 0) tokens = options.tokens;
  const ModelAndText input = read_model_and_text(options.model, tokens);
  const std::size_t longest = input.text.separate
                                  ? input.text.columns
                                  : std::min<std::size_t>(options.window, input.text.columns);
  if (longest > input.checkpoint.architecture.max_positions)
    throw files::InputError("windows of " + std::to_string(longest) + " tokens; the model takes " +
                            std::to_string(input.checkpoint.architecture.max_positions) +
                            ": name a --window and a --stride below it");
  const PerplexityReport report = measure(options, specifications, input);
  if (!options.json.empty())
    files::write_file(options.json, perplexity_json(report), options.force);
  if (!options.nll.empty()) write_nll(options, report);
  if (!options.plot.empty())
    files::write_file(options.plot, perplexity_plot(report), options.force);
  std::cout << perplexity_text(report);
  return 0;
}

}  // namespace

void add_perplexity(CLI::App* app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app->add_subcommand(
      "perplexity", "end-to-end perplexity of a language model whose KV cache is as specified");
  command->footer(
      "A cache is f32, fp16,\n"
      "  axelram:config=FILE,seed=N,ber=P,fault_seed=N\n"
      "  int4:mode=symmetric|asymmetric,group=N,code=NAME,erasure=POLICY,ber=P,fault_seed=N\n"
      "or keys=CACHE;values=CACHE. The FP16 cache is always measured too: delta and KL divergence\n"
      "are from it (--baseline). --seeds runs the cache once a seed, which becomes the seed of all "
      "signs that\n"
      "have none of their own and of all bit errors.\n\n"
      "Example:\n"
      "  axelram perplexity models/byte-llama-d128 TEXT --tokens 4096 --seeds 1-10 \\\n"
      "      --cache 'axelram:config=configs/paper-d128-b3.yaml' --json perplexity.json");
  add_model_arguments(command, &options->model);
  command->add_option("--cache", options->cache, "the KV cache, see below")
      ->required()
      ->type_name("SPEC")
      ->option_text("SPEC (required)");
  const auto number = [&](const char* name, std::uint64_t* value, std::uint64_t low,
                          const char* what) {
    command->add_option(name, *value, what)->check(whole_number(low, kMaxTokens))->type_name("N");
  };
  number("--window", &options->window, 2, "tokens of a window (default 256)");
  number("--stride", &options->stride, 1, "tokens from window to window (default 128)");
  number("--tokens", &options->tokens, 2, "tokens of the text used, from its start (default all)");
  command
      ->add_option("--baseline", options->baseline,
                   "what delta and KL divergence are from: fp16 (default) or f32, for models whose "
                   "keys or values FP16 cannot hold")
      ->check(CLI::IsMember({"fp16", "f32"}))
      ->type_name("NAME");
  command->add_option("--seeds", options->seeds, "such as 1,2,5-8")
      ->check(seed_list())
      ->type_name("LIST");
  command
      ->add_option("--engine", options->engine,
                   "of axelram caches: golden (fast units, default), reference (table lookup as "
                   "the hardware does it) or rtl (the Verilated hardware stores and scores keys)")
      ->check(CLI::IsMember({"golden", "reference", "rtl", "cuda"}))
      ->type_name("NAME");
  command
      ->add_option("--device", options->device,
                   "where model and cache run: cpu (default) or cuda, with caches fp16 and axelram")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->type_name("NAME");
  add_json(command, &options->json, "all figures, by seed too");
  command->add_option("--nll", options->nll, "safetensors: nll F64, one per prediction, in order")
      ->check(file_name())
      ->type_name("FILE");
  command->add_option("--plot", options->plot, "SVG: perplexity by seed, mean and baseline")
      ->check(file_name())
      ->type_name("FILE.svg");
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return run(*options); }; });
}

}  // namespace axelram::cli
