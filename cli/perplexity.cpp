#include "axelram/commands/perplexity.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <memory>

#include "arguments.hpp"
#include "axelram/caches/kinds.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "seeds.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

using commands::delta_of;
using commands::kl_of;
using commands::perplexity_of;
using commands::PerplexityResult;
using commands::PerplexityRun;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kMaxTokens = std::uint64_t{1} << 40;

struct PerplexityArguments {
  commands::PerplexityOptions options;
  std::string seeds, device;
};

using Quantity = double (*)(const PerplexityResult&, const PerplexityRun&);

std::vector<std::string> spread_row(const PerplexityResult& report, const char* name, Quantity of,
                                    int decimals) {
  const PerplexityResult::Spread s = report.spread(of);
  const auto cell = [&](double value) { return fixed(value, decimals); };
  return {name, cell(s.mean), cell(s.deviation), cell(s.worst),
          s.interval.known() ? cell(s.interval.low) + " .. " + cell(s.interval.high) : "-"};
}

std::string events_text(const PerplexityResult& report, const char* name,
                        transformer::MemoryEvents transformer::CacheEvents::*events) {
  transformer::MemoryEvents sum;
  for (const PerplexityRun& run : report.runs) sum += run.scores.events.*events;
  if (sum.injected == 0 && sum.words == 0) return "";
  return std::string(name) + ": " + std::to_string(sum.injected) + " of " +
         std::to_string(sum.stored_bits) + " stored bits flipped; " + std::to_string(sum.words) +
         " words, " + std::to_string(sum.corrected) + " corrected, " +
         std::to_string(sum.parity_only) + " parity bit, " + std::to_string(sum.detected) +
         " detected, " + std::to_string(sum.miscorrected) + " miscorrected\n";
}

std::string run_name(const PerplexityRun& run) {
  return run.seed ? "seed " + std::to_string(*run.seed) : "cache";
}

/// Meaning of the column `noise`, and the deltas that are not larger.
std::string noise_text(const PerplexityResult& r) {
  if (!r.noise) return "";
  std::string text = "\nnoise: 95 % of the changes of delta from " + r.noise->simd + " to " +
                     r.noise->other + " instructions, by " + std::to_string(r.noise->predictions) +
                     " predictions made with both\n";
  std::string none;
  for (const PerplexityRun& run : r.runs)
    if (!commands::is_finding(delta_of(r, run), commands::delta_noise_of(r, run)))
      none += (none.empty() ? "" : ", ") + run_name(run);
  const double noise = commands::mean_delta_noise(r);
  if (r.runs.size() > 1) {
    text += "noise of the mean delta: " + fixed(noise, 4) + "\n";
    if (!commands::is_finding(r.spread(delta_of).mean, noise))
      none += (none.empty() ? "" : ", ") + std::string("the mean");
  }
  if (!none.empty()) text += "no finding, as delta is not larger than its noise: " + none + "\n";
  return text;
}

std::string heading(const PerplexityResult& r, const std::string& cache) {
  return "model          " + r.model + "\ntext           " + r.text + ", " +
         std::to_string(r.baseline.nll.size()) + " predictions, windows of " +
         std::to_string(r.window) + ", stride " + std::to_string(r.stride) + "\ncache          " +
         cache + ", engine " + r.engine + (r.device_name.empty() ? "" : ", " + r.device_name) +
         "\n\n";
}

std::string ending(const PerplexityResult& r) {
  return "\n" + fixed(r.seconds, 1) + " s, " +
         fixed(static_cast<double>(r.passed) / std::max(r.seconds, 1e-9), 0) + " tokens/s\n";
}

bool has_sequence_bytes(const PerplexityResult& r) { return r.cache_bytes.per_sequence != 0; }

/// A table whose last column is left out if no cache stores bytes for a sequence.
std::string byte_table(std::vector<std::vector<std::string>> rows, bool sequence_bytes) {
  if (!sequence_bytes)
    for (std::vector<std::string>& row : rows) row.pop_back();
  return table(rows);
}

/// Scores of all heads against exact ones.
std::string scores_text(const PerplexityResult& r) {
  if (r.heads.empty()) return "";
  std::vector<std::vector<std::string>> rows = {
      {"layer", "head", "slope", "deviation", "error", "weighted", "KL"}};
  for (std::size_t pair = 0; pair < r.heads.size(); ++pair) {
    const calibration::ScoreFigures& of = r.heads[pair];
    rows.push_back({std::to_string(pair / r.kv_heads), std::to_string(pair % r.kv_heads),
                    fixed(of.slope, 4), fixed(of.deviation, 4), fixed(of.error, 4),
                    fixed(of.weighted_error, 4), fixed(of.divergence, 5)});
  }
  return "\nscores of " + r.cache +
         ", in nats, less their mean over the keys of a query:\nslope on exact scores, deviation "
         "from this line, error, the same under the attention weights, KL of the softmax\n" +
         table(rows);
}

/// Sizes of a memory beside the full cache, and what became of its tokens, all heads together.
std::string memory_text(const PerplexityResult& r) {
  if (r.slots == 0) return "";
  transformer::MemoryCounts sum;
  for (const PerplexityRun& run : r.runs)
    for (const transformer::MemoryCounts& one : run.scores.events.memories) sum += one;
  return "\nmemory: " + std::to_string(r.slots) + " slots a layer and KV head, " +
         fixed(r.cache_bytes.per_sequence, 0) + " bytes; " + r.baseline_cache + " takes " +
         fixed(r.full_bytes(), 0) + " bytes at " + std::to_string(r.longest) + " tokens\n" +
         std::to_string(sum.evicted) + " tokens left windows: " + std::to_string(sum.gated_out) +
         " gated out, " + std::to_string(sum.novel) + " novel, " + std::to_string(sum.hits) +
         " hits, " + std::to_string(sum.between) + " between; " + std::to_string(sum.displaced) +
         " displaced others, " + std::to_string(sum.spawned) + " began summaries, " +
         std::to_string(sum.merged) + " went into one\n";
}

std::string perplexity_text(const PerplexityResult& r) {
  std::string text = heading(r, r.cache);
  const auto row = [&](const std::string& name, const perplexity::Scores& s, double noise,
                       const engines::CacheBytes& bytes) {
    return std::vector<std::string>{name,
                                    fixed(s.mean_nll(), 6),
                                    fixed(s.perplexity(), 4),
                                    fixed(s.perplexity() - r.baseline.perplexity(), 4),
                                    std::isnan(noise) ? "-" : fixed(noise, 4),
                                    r.bytes ? fixed(r.bits_per_byte(s), 4) : "-",
                                    fixed(s.kl, 6),
                                    fixed(100 * s.top1, 2),
                                    fixed(100 * s.agreement, 2),
                                    fixed(bytes.per_token, 1),
                                    fixed(bytes.per_sequence, 1)};
  };
  std::vector<std::vector<std::string>> rows = {{"", "nll", "perplexity", "delta", "noise",
                                                 "bits/byte", "kl", "top-1 %", "same top %",
                                                 "bytes/token", "bytes/sequence"}};
  rows.push_back(row(r.baseline_cache, r.baseline, kUnknown, r.baseline_bytes));
  for (const PerplexityRun& run : r.runs)
    rows.push_back(row(run_name(run), run.scores, commands::delta_noise_of(r, run), r.cache_bytes));
  text += byte_table(rows, has_sequence_bytes(r));
  if (r.runs.size() > 1)
    text += "\n" + table({{"over seeds", "mean", "std", "worst", "95 % of the mean"},
                          spread_row(r, "perplexity", perplexity_of, 4),
                          spread_row(r, "delta", delta_of, 4),
                          spread_row(r, "kl", kl_of, 6)});
  text += noise_text(r) + scores_text(r) + memory_text(r);
  const std::string events = events_text(r, "keys", &transformer::CacheEvents::keys) +
                             events_text(r, "values", &transformer::CacheEvents::values);
  if (!events.empty()) text += "\n" + events;
  return text + ending(r);
}

/// A line for each cache, means over its seeds.
std::string comparison_text(const std::vector<PerplexityResult>& results) {
  const PerplexityResult& first = results.front();
  std::vector<std::vector<std::string>> rows = {{"", "nll", "perplexity", "delta", "noise", "kl",
                                                 "top-1 %", "same top %", "bytes/token",
                                                 "bytes/sequence"}};
  const auto cell = [](double value, int decimals) {
    return std::isnan(value) ? std::string("-") : fixed(value, decimals);
  };
  const perplexity::Scores& base = first.baseline;
  rows.push_back({first.baseline_cache, fixed(base.mean_nll(), 6), fixed(base.perplexity(), 4),
                  fixed(0, 4), "-", fixed(0, 6), fixed(100 * base.top1, 2), fixed(100, 2),
                  fixed(first.baseline_bytes.per_token, 1),
                  fixed(first.baseline_bytes.per_sequence, 1)});
  for (const PerplexityResult& r : results) {
    const auto mean = [&](Quantity of) { return r.spread(of).mean; };
    rows.push_back({r.cache, fixed(mean(commands::nll_of), 6), fixed(mean(perplexity_of), 4),
                    fixed(mean(delta_of), 4), cell(commands::mean_delta_noise(r), 4),
                    fixed(mean(kl_of), 6), fixed(100 * mean(commands::top1_of), 2),
                    fixed(100 * mean(commands::agreement_of), 2), fixed(r.cache_bytes.per_token, 1),
                    fixed(r.cache_bytes.per_sequence, 1)});
  }
  std::string scores;
  for (const PerplexityResult& r : results) scores += scores_text(r);
  return heading(first, std::to_string(results.size()) + " caches" +
                            (first.runs.size() > 1
                                 ? ", means of " + std::to_string(first.runs.size()) + " seeds"
                                 : "")) +
         byte_table(rows, std::any_of(results.begin(), results.end(), has_sequence_bytes)) +
         scores + ending(first);
}

Status execute(const commands::PerplexityOptions& options) {
  ProgressLine progress;
  commands::measure_perplexity(options, progress.receiver(), progress.then([](const auto& results) {
    std::cout << (results.size() == 1 ? perplexity_text(results.front())
                                      : comparison_text(results));
  }));
  return Status::done;
}

/// --device cuda is another name of --engine cuda.
void apply_device(const PerplexityArguments& arguments, bool engine_given, EngineKind* engine) {
  if (arguments.device == "cuda") {
    if (engine_given && *engine != EngineKind::cuda)
      throw CLI::ValidationError("--device", "cuda requires --engine cuda, its other name");
    *engine = EngineKind::cuda;
  } else if (arguments.device == "cpu" && *engine == EngineKind::cuda) {
    throw CLI::ValidationError("--device", "cpu requires another engine than cuda");
  }
}

void declare(CLI::App* command, PerplexityArguments* arguments) {
  commands::PerplexityOptions* const o = &arguments->options;
  add_model(command, &o->model);
  command->add_option("--cache", o->caches, "the KV cache, see below; may be repeated")
      ->required()
      ->allow_extra_args(false)
      ->type_name("SPEC")
      ->option_text("SPEC (required)");
  const auto number = [&](const char* name, std::uint64_t* value, std::uint64_t low,
                          const char* what) {
    return command->add_option(name, *value, what)
        ->check(whole_number(low, kMaxTokens))
        ->type_name("N");
  };
  number("--window", &o->window, 2, "tokens of a window (default 256)");
  CLI::Option* const stride =
      number("--stride", &o->stride, 1, "tokens from window to window (default half a window)");
  number("--tokens", &o->tokens, 2, "tokens of the text used, from its start (default all)");
  number("--chunk", &o->chunk, 1,
         "tokens of a window that pass through the model together, as while a text is generated; "
         "the results are the same (default all)");
  add_from(command, &o->from,
           "a state that every window goes on from; the baseline sees the windows alone");
  command
      ->add_flag("--separate", o->separate,
                 "windows are texts of their own, each with its BOS if --bos; no stride")
      ->excludes(stride);
  add_baseline(command, &o->baseline, "cache that delta and KL divergence compare with");
  command->add_option("--seeds", arguments->seeds, "seeds such as 1,2,5-8, one run for each")
      ->check(seed_list())
      ->type_name("LIST");
  add_engine(command, &o->engine, "what computes the axelram caches, or with cuda the whole model");
  command->add_option("--device", arguments->device, "cuda: the same as --engine cuda; or cpu")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->type_name("NAME");
  command->add_flag("!--no-noise", o->noise, "leave out the noise of delta");
  command->add_flag(
      "--scores", o->scores,
      "also compare the scores of every layer and KV head with exact ones, over up to "
      "2048 tokens; with seeds, those of the first");
  add_json(command, &o->json, "all figures, also for each seed");
  const auto predictions = [&](const char* name, std::string* file, const std::string& what) {
    command->add_option(name, *file, "safetensors: " + what + ", one per prediction, in order")
        ->check(file_name())
        ->type_name("FILE");
  };
  predictions("--nll", &o->nll, "nll F64");
  predictions("--kl", &o->kl, "kl F64");
  predictions("--ranks", &o->ranks, "ranks I32, how many ids are likelier");
  add_plot(command, &o->plot, "perplexity by seed, mean and baseline");
  add_force(command, &o->force);
}

}  // namespace

void add_perplexity(CLI::App* app, Action* action) {
  auto arguments = std::make_shared<PerplexityArguments>();
  CLI::App* command = app->add_subcommand(
      "perplexity", "end-to-end perplexity of a language model whose KV cache is as specified");
  command->footer(
      "A cache is one of\n" + caches::cache_help("  ") +
      "or keys=CACHE;values=CACHE. The FP16 cache is always measured too: delta and KL divergence\n"
      "compare with it (--baseline). --seeds runs the cache once per seed: the seed of all signs\n"
      "for which the specification names none, and of all bit errors. A checkpoint without a\n"
      "memory of its own wants memory:sinks=4.\n\n"
      "Example:\n"
      "  axelram perplexity models/byte-llama-d128 TEXT --tokens 4096 --seeds 1-10 \\\n"
      "      --cache 'axelram:config=configs/paper-d128-b3.yaml' --json perplexity.json");
  declare(command, arguments.get());
  command->callback([=] {
    commands::PerplexityOptions& options = arguments->options;
    apply_device(*arguments, command->count("--engine") > 0, &options.engine);
    if (!arguments->seeds.empty()) options.seeds = parse_seeds(arguments->seeds);
    *action = [=] { return execute(arguments->options); };
  });
}

}  // namespace axelram::cli
