#include "axelram/commands/calibrate.hpp"

#include <iostream>
#include <limits>
#include <memory>
#include <optional>

#include "arguments.hpp"
#include "axelram/files/position_centers.hpp"
#include "calibrate_tiers.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

using calibration::Advice;
using calibration::Choice;

const char* advice_text(Advice advice) {
  switch (advice) {
    case Advice::default_signs:
      return "below 2: the paper calls default signs safe";
    case Advice::calibrate:
      return "above 5: the paper recommends calibrated signs";
    case Advice::neither:
      break;
  }
  return "between 2 and 5 the paper gives no advice: calibrated signs cost no hardware, so take "
         "them and compare perplexity";
}

std::string choices_text(const commands::CalibrateResult& run, bool per_head) {
  std::vector<std::vector<std::string>> rows = {{"layer", "key norm", "centered", "mean / norm",
                                                 "default MSE", "mean", "best", "worst", "seed"}};
  if (per_head) rows[0].insert(rows[0].begin() + 1, "head");
  for (const Choice& choice : run.calibration.choices) {
    rows.push_back({std::to_string(choice.layer), fixed(choice.mean_norm, 3),
                    fixed(choice.centered_norm, 3), fixed(100 * choice.center_share, 1) + " %",
                    fixed(choice.default_error, 6), fixed(choice.mean_error, 6),
                    fixed(choice.best_error, 6), fixed(choice.worst_error, 6),
                    std::to_string(run.options.seed + choice.candidate)});
    if (per_head) rows.back().insert(rows.back().begin() + 1, std::to_string(*choice.head));
  }
  return table(rows);
}

std::string heads_text(const commands::CalibrateResult& run) {
  if (run.heads.empty()) return "";
  std::vector<std::vector<std::string>> rows = {
      {"layer", "head", "mean key", "balance", "split", "alpha",
       "first " + std::to_string(run.exact.first), "newest " + std::to_string(run.exact.newest),
       "score error", "weighted", "KL"}};
  const auto percent = [](double share) { return fixed(100 * share, 1) + " %"; };
  for (std::size_t pair = 0; pair < run.heads.size(); ++pair) {
    const commands::CalibratedHead& head = run.heads[pair];
    rows.push_back({std::to_string(pair / run.kv_heads), std::to_string(pair % run.kv_heads),
                    percent(head.mean_energy), fixed(head.balance_won, 3),
                    fixed(head.split_factor, 3), fixed(head.alpha, 1),
                    percent(head.scores.first_weight), percent(head.scores.newest_weight),
                    fixed(head.scores.error, 4), fixed(head.scores.weighted_error, 4),
                    fixed(head.scores.divergence, 4)});
  }
  return "heads          energy of the mean key; predicted square of score errors with balance "
         "over\n"
         "               without, and with a split of " +
         std::to_string(run.options.split.high) + " and " + std::to_string(run.options.split.low) +
         " bits over one vector; attention of exact tokens; errors of scores in nats, less their\n"
         "               mean over keys, also under the attention weights\n" +
         table(rows);
}

/// Which heads are balanced, and why.
std::string balance_text(const commands::CalibrateResult& run) {
  if (!run.exponents) return "";
  std::vector<std::vector<std::string>> rows = {
      {"layer", "head", "gain", "balanced", "plain noise", "noise"}};
  for (std::size_t pair = 0; pair < run.heads.size(); ++pair) {
    const std::size_t layer = pair / run.kv_heads, head = pair % run.kv_heads;
    rows.push_back({std::to_string(layer), std::to_string(head),
                    fixed(run.exponents->gains[pair], 4),
                    run.exponents->balanced(layer, head) ? "yes" : "no",
                    fixed(run.heads[pair].plain_noise, 4), fixed(run.heads[pair].noise, 4)});
  }
  return "balance        of heads whose gain is " + fixed(run.exponents->most_gain, 2) +
         " at most, the square of score errors with\n"
         "               exponents over that without, by queries " +
         name_of(run.options.balance_queries) +
         "; noise of scores in nats,\n"
         "               predicted by energies, without exponents and with them\n" +
         table(rows);
}

std::string signs_text(const commands::CalibrateResult& run) {
  const commands::CalibrateOptions& options = run.options;
  const Parameters& parameters = run.config.parameters;
  const double ratio = run.calibration.norm_ratio;
  std::string text =
      "codebook       " + name_of(parameters.codebook) + ", " +
      std::to_string(parameters.index_bits) + " bits, MSE " + fixed(run.codebook_mse, 6) +
      " on its own density\ncandidates     " + std::to_string(options.candidates) +
      ", seeds from " + std::to_string(options.seed) + " on\ndefault signs  " + run.default_signs +
      "\nMSE of keys    " + (run.center.empty() ? "as they are" : "minus their center") +
      ", scaled to norm 1; times d\n";
  text += choices_text(run, options.per_head);
  text += heads_text(run) + balance_text(run);
  text += "norm ratio     " + fixed(ratio, 3) + " across layers (centered " +
          fixed(run.calibration.centered_norm_ratio, 3) + "); " +
          advice_text(calibration::advice(ratio)) + "\n";
  return text;
}

std::string calibrate_text(const commands::CalibrateResult& run) {
  std::string text = "samples        " + std::to_string(run.options.samples) + " windows of " +
                     std::to_string(run.window) + " tokens\n";
  if (!run.options.output.empty()) text += signs_text(run);
  return text + tiers_text(run);
}

Status execute(const commands::CalibrateOptions& options) {
  ProgressLine progress;
  commands::calibrate(options, progress.receiver(), progress.then([](const auto& result) {
    std::cout << calibrate_text(result);
  }));
  if (!options.output.empty()) std::cout << "signs          " << options.output << "\n";
  if (!options.center.empty()) std::cout << "center         " << options.center << "\n";
  if (!options.centers.empty()) std::cout << "centers        " << options.centers << "\n";
  if (!options.feedback.empty()) std::cout << "feedback       " << options.feedback << "\n";
  if (!options.balance.empty()) std::cout << "balance        " << options.balance << "\n";
  if (!options.channels.empty()) std::cout << "channels       " << options.channels << "\n";
  if (!options.tiers.empty()) std::cout << "tiers          " << options.tiers << "\n";
  return Status::done;
}

/// "h,l".
std::optional<calibration::SplitBits> parse_split(const std::string& text) {
  if (text.size() != 3 || text[1] != ',') return std::nullopt;
  const calibration::SplitBits bits{text[0] - '0', text[2] - '0'};
  if (bits.low < 1 || bits.high < bits.low || bits.high > 4) return std::nullopt;
  return bits;
}

void declare_channels(CLI::App* command, CLI::Option* output, commands::CalibrateOptions* o) {
  CLI::Option* channels =
      command
          ->add_option("--channels", o->channels,
                       "also write the channels of sub-vector 0 of a split, half of each head's")
          ->check(file_name())
          ->type_name("FILE")
          ->needs(output);
  const CLI::Validator two_widths(
      [](const std::string& text) {
        return parse_split(text) ? std::string()
                                 : "'" + text + "'; give two of 1 to 4, such as 4,2";
      },
      "");
  command
      ->add_option_function<std::string>(
          "--split", [o](const std::string& text) { o->split = *parse_split(text); },
          "bits of both sub-vectors, of which an error is predicted (default 4,2)")
      ->check(two_widths)
      ->type_name("H,L")
      ->needs(channels);
  add_name(command, "--by", &o->rule, "of the channels")->needs(channels);
}

void declare(CLI::App* command, commands::CalibrateOptions* o) {
  const std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  add_model(command, &o->model);
  CLI::Option* output = add_output(command, &o->output, "chosen signs, a safetensors file")
                            ->required(false)
                            ->option_text("FILE (required without --tiers)");
  command
      ->add_option(
          "--center", o->center,
          "also write the mean key of each head, and choose signs for the keys minus this center")
      ->check(file_name())
      ->type_name("FILE")
      ->needs(output);
  CLI::Option* centers =
      command
          ->add_option("--centers", o->centers,
                       "also write centers that follow the position, one for each block of "
                       "positions (perplexity --cache axelram:...,centers=FILE)")
          ->check(file_name())
          ->type_name("FILE")
          ->needs(output);
  command->add_option("--block", o->block, "positions of a block (default 32)")
      ->check(whole_number(1, files::PositionCenters::kMostBlock))
      ->type_name("N")
      ->needs(centers);
  CLI::Option* feedback =
      command
          ->add_option("--feedback", o->feedback,
                       "also write what queries look for, with which an encoder chooses better "
                       "indices (perplexity --cache axelram:...,encoder=feedback:FILE; run "
                       "--encoder feedback:FILE)")
          ->check(file_name())
          ->type_name("FILE")
          ->needs(output);
  add_name(command, "--rank", &o->rank, "of the feedback")->needs(feedback);
  command
      ->add_option("--context", o->context,
                   "tokens of the texts that feedback is for: queries of windows are turned to "
                   "later positions (default: a window)")
      ->check(whole_number(1, most))
      ->type_name("N")
      ->needs(feedback);
  CLI::Option* balance =
      command
          ->add_option(
              "--balance", o->balance,
              "also write exponents of keys and queries that make the errors of scores small "
              "(perplexity --cache axelram:...,balance=FILE; rotation.balance of a "
              "configuration), and factors for axelram fold; signs, center and feedback are "
              "then those of balanced keys and queries")
          ->check(file_name())
          ->type_name("FILE")
          ->needs(output);
  add_name(command, "--balance-queries", &o->balance_queries, "of the balance")->needs(balance);
  command
      ->add_option(
          "--balance-gain", o->balance_gain,
          "largest gain of a balanced head, 0 to 1; 1 balances every head, which suits keys "
          "that the hardware encodes (default 0.25)")
      ->check(number_to(1, "1"))
      ->type_name("G")
      ->needs(balance);
  declare_channels(command, output, o);
  declare_tiers(command, o);
  CLI::Option* config =
      command
          ->add_option("--config", o->config,
                       "the macro: bits, codebook, element format, signs to compare with")
          ->check(file_name())
          ->type_name("FILE|NAME")
          ->needs(output);
  command->add_option("--bits", o->bits, "bits of an index: 2, 3 (default) or 4")
      ->check(CLI::IsMember({2, 3, 4}))
      ->type_name("B")
      ->needs(output)
      ->excludes(config);
  add_name(command, "--codebook", &o->codebook, "density")->needs(output)->excludes(config);
  command->add_option("--candidates", o->candidates, "sign vectors tried (default 200)")
      ->check(whole_number(1, 1'000'000))
      ->type_name("N")
      ->needs(output);
  command->add_option("--samples", o->samples, "windows of the text (default 8)")
      ->check(whole_number(1, most))
      ->type_name("N");
  add_window(command, &o->window);
  add_seed(command, &o->seed, "seed of the first candidate; the next has the next seed")
      ->needs(output);
  command->add_flag("--per-head", o->per_head, "choose for each head instead of each layer")
      ->needs(output);
  add_json(command, &o->json, "all figures");
  add_force(command, &o->force);
}

}  // namespace

void add_calibrate(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::CalibrateOptions>();
  CLI::App* command = app->add_subcommand(
      "calibrate",
      "choose the signs of the rotation, key centers, and constants of tiers, for a model");
  command->footer(
      "Algorithm 1 of the paper (section V). Samples are whole windows at equal distances: "
      "windows\n"
      "floor(i n / samples) of the n in the text. Errors are those of records: every key counts,\n"
      "exact tokens of the configuration too. Name the files in a configuration:\n"
      "  rotation: {signs: signs.safetensors, center: center.safetensors, layer: 2, head: 0}\n"
      "Constants of tiers are made from FP16 rows and for 2, 3 and 4 bits; their file names the\n"
      "model. With --rope pre they are of keys before rotary embedding, and of queries turned to\n"
      "the position of each key.\n\n"
      "Example:\n"
      "  axelram calibrate models/byte-llama-d128 README.md -o signs.safetensors \\\n"
      "      --center center.safetensors --json calibrate.json");
  declare(command, options.get());
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
