#include "axelram/commands/tune.hpp"

#include <cmath>
#include <iostream>
#include <limits>
#include <memory>

#include "arguments.hpp"
#include "axelram/calibration/predicted_noise.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

using commands::TuneCandidate;
using commands::TuneResult;

std::string verdict_of(const TuneCandidate& one) {
  if (one.chosen) return "chosen";
  return one.rejected.empty() ? "best half" : "";
}

std::string candidates_text(const TuneResult& r) {
  std::vector<std::vector<std::string>> rows = {
      {"cache", "KL", "+-", "perplexity", "top-1 %", "bytes/token", "noise", ""}};
  const auto row = [&](const std::string& name, const commands::TuneScores& scores,
                       const engines::CacheBytes& bytes, const std::string& noise,
                       const std::string& verdict) {
    rows.push_back({name, short_number(scores.kl), short_number(scores.kl_error),
                    fixed(std::exp(scores.nll), 3), fixed(100 * scores.top1, 2),
                    fixed(bytes.per_token, 0), noise, verdict});
  };
  row("fp16", r.baseline, r.baseline_bytes, "-", "");
  for (const TuneCandidate& one : r.candidates)
    row(one.name, one.scores, one.bytes, one.bits.keys == 0 ? "-" : short_number(one.noise),
        verdict_of(one));
  return table(rows);
}

/// Says how the model bears the paper's macro.
std::string plain_text(const TuneResult& r) {
  const TuneCandidate& plain = r.candidates[r.plain];
  if (r.needs_nothing())
    return "it needs no recipe: the paper's macro changes it by " + short_number(plain.scores.kl) +
           " nats";
  const std::string factor =
      short_number(plain.scores.kl / r.candidates[r.chosen].scores.kl) + " times the chosen KL";
  return plain.noise < calibration::kFailingNoise
             ? factor
             : "the model fails, " + factor + ", scores err by " + short_number(plain.noise) +
                   " nats in one head";
}

std::string tune_text(const TuneResult& r) {
  std::string text = "model          " + r.model + "\ntext           " + r.text + ", windows of " +
                     std::to_string(r.window) + " tokens: " + std::to_string(r.calibration.size()) +
                     " to calibrate on, " + std::to_string(r.held_out.size()) + " held out with " +
                     std::to_string(r.baseline.predictions) + " predictions\n";
  if (!r.heads.empty()) {
    std::size_t balanced = 0;
    for (const commands::TunedHead& head : r.heads) balanced += head.balanced ? 1 : 0;
    text += "balanced       " + std::to_string(balanced) + " of " + std::to_string(r.heads.size()) +
            " KV heads\n";
  }
  return text + "paper's macro  " + plain_text(r) +
         "\nshown          KL from fp16 and its standard error, nats; error of scores in the worst "
         "head, nats\n\n" +
         candidates_text(r) + "\n";
}

Status execute(const commands::TuneOptions& options) {
  ProgressLine progress;
  const TuneResult result =
      commands::tune(options, progress.receiver(),
                     progress.then([](const TuneResult& r) { std::cout << tune_text(r); }));
  std::cout << "directory      " << options.output << ", its report.md says why\ncache          "
            << "tuned:" << options.output << "\n";
  return Status::done;
}

}  // namespace

void add_tune(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::TuneOptions>();
  commands::TuneOptions* const o = options.get();
  CLI::App* command = app->add_subcommand(
      "tune", "find the cache of few bits that changes a model least, for --cache tuned:DIR");
  command->footer(
      "The first three quarters of TEXT calibrate centers, exponents and feedback; windows of the\n"
      "last quarter measure every candidate against FP16. Some 24 kB of any text will do. A few\n"
      "minutes for a model of a billion parameters; progress is kept in DIR.unfinished, and the\n"
      "same command goes on from there. DIR then has the files, 'cache', 'recipe.json' and\n"
      "'report.md', which says what was chosen and why. It serves this model alone.\n\n"
      "Example:\n"
      "  axelram tune models/byte-llama-d128 README.md -o tuned --part keys --samples 2 "
      "--windows 1");
  add_model(command, &o->model);
  add_output(command, &o->output, "folder to write", "DIR");
  command->add_option("--bits", o->bits, "bits of an index: 2, 3 (default) or 4")
      ->check(CLI::IsMember({2, 3, 4}))
      ->type_name("B");
  add_name(command, "--part", &o->part, "what is stored in few bits");
  const std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  command
      ->add_option("--bytes", o->bytes,
                   "the most bytes of a token, all layers and heads, keys and values: the best "
                   "cache that fits, of 2 to 4 bits unless --bits says how many")
      ->check(whole_number(1, std::uint64_t{1} << 40))
      ->type_name("N");
  command->add_option("--samples", o->samples, "windows to calibrate on (default up to 16)")
      ->check(whole_number(1, most))
      ->type_name("N");
  command->add_option("--windows", o->windows, "windows to measure on (default up to 4)")
      ->check(whole_number(1, most))
      ->type_name("N");
  add_window(command, &o->window);
  add_seed(command, &o->seed, "seed of the signs");
  add_json(command, &o->json, "all figures, as in recipe.json");
  command->add_flag("--force", o->force, "replace a folder that tune wrote, or began to write");
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
