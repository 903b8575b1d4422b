#include <algorithm>
#include <iostream>
#include <memory>
#include <numeric>

#include "arguments.hpp"
#include "axelram/faults/text.hpp"
#include "axelram/stress/folder.hpp"
#include "commands.hpp"
#include "model_arguments.hpp"
#include "seeds.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

// What the ratio of norms is measured on.
constexpr std::size_t kTokens = 1024, kWindow = 256;

constexpr double kMost = 1e6;

struct Options {
  ModelArguments model;  ///< its text: for the ratio
  std::string output;
  std::string layers = "0", scale = "8", bias = "0";
  stress::Options stress;  ///< all that is a number
  double ratio = 0;        ///< 0: not asked for
  bool force = false;
};

struct Range {
  double low, high;
};

/// "8" or "8-20"; the dash of an exponent is no separator.
std::optional<Range> parse_range(const std::string& text) {
  if (const auto one = faults::parse_number(text)) return Range{*one, *one};
  for (std::size_t dash = text.find('-', 1); dash != std::string::npos;
       dash = text.find('-', dash + 1)) {
    const auto low = faults::parse_number(text.substr(0, dash));
    const auto high = faults::parse_number(text.substr(dash + 1));
    if (low && high) return Range{*low, *high};
  }
  return {};
}

CLI::Validator scale_range() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto range = parse_range(text);
        const bool right =
            range && range->low >= 1 / kMost && range->low <= range->high && range->high <= kMost;
        return right ? std::string()
                     : "'" + text + "'; give a factor, 1e-6 .. 1e6, or two as LOW-HIGH";
      },
      "");
}

CLI::Validator positive() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto value = faults::parse_number(text);
        return value && *value >= 1 / kMost && *value <= kMost
                   ? std::string()
                   : "'" + text + "'; give a number, 1e-6 .. 1e6";
      },
      "");
}

CLI::Validator norm() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto value = faults::parse_number(text);
        return text == "auto" || (value && *value >= 0 && *value <= kMost)
                   ? std::string()
                   : "'" + text + "'; give a norm, 0 .. 1e6, or auto";
      },
      "");
}

CLI::Validator layer_list() {
  return CLI::Validator(
      [](const std::string& text) {
        std::string list = text;
        return text == "all" || seed_list()(list).empty()
                   ? std::string()
                   : "'" + text + "'; give different layers such as 0,2,5-7, or all";
      },
      "");
}

std::vector<std::size_t> layers_of(const std::string& list, std::size_t count) {
  std::vector<std::size_t> layers;
  if (list == "all") {
    layers.resize(count);
    std::iota(layers.begin(), layers.end(), std::size_t{0});
  } else {
    for (const std::uint64_t layer : parse_seeds(list)) layers.push_back(layer);
  }
  return layers;
}

stress::RatioFit fit(const Options& options, const stress::Options& asked,
                     const ModelAndText& input) {
  const tokens::TokenText& text = input.text;
  const std::size_t longest = std::min(kWindow, input.checkpoint.architecture.max_positions);
  const std::size_t window = text.separate ? text.columns : longest;
  const std::size_t all = text.separate ? text.ids.size() : std::min(kTokens, text.ids.size());
  std::vector<transformer::Sequence> windows;
  for (std::size_t at = 0; at < all; at += window)
    windows.push_back({std::span(text.ids).subspan(at, std::min(window, all - at)),
                       static_cast<std::uint32_t>(windows.size())});
  transformer::Workers workers(thread_count(options.model));
  return stress::fit_norm_ratio(input.checkpoint, workers, windows, asked,
                                {options.ratio, options.bias == "auto"});
}

void print(const Options& options, const stress::Options& done,
           const std::optional<stress::RatioFit>& fit, const stress::Written& written) {
  std::cout << "model          " << options.model.model << "\nlayers         " << options.layers
            << "\npairs          " << done.pairs << " of each KV head";
  if (done.pairs != 0) std::cout << ", times " << options.scale;
  std::cout << "\ngain           " << done.gain << "\nbias           " << done.bias;
  if (done.bias != 0 && done.bias_channels != 0)
    std::cout << " on " << done.bias_channels << " channels";
  std::cout << "\n";
  if (fit)
    std::cout << "key norms      " << fit->chosen << " in these layers, " << fit->others
              << " in the others: " << fit->chosen / fit->others << " times, mean of "
              << fit->tokens << " tokens\n";
  std::cout << "tensors        " << written.changed << " of " << written.tensors
            << " changed\nfolder         " << options.output << " (factors in stress.json)\n";
}

int run(const Options& options) {
  stress::check_model(options.model.model);
  stress::Output output{options.output, options.force, {}};
  for (const std::string& input : input_files(options.model))
    if (!input.empty()) output.inputs.push_back(input);  // a text is not always given
  stress::check_output(output);

  ModelAndText input;
  if (options.ratio != 0)
    input = read_model_and_text(options.model, {});
  else
    input.checkpoint = checkpoints::read_checkpoint(options.model.model);
  stress::Options asked = options.stress;
  asked.layers = layers_of(options.layers, input.checkpoint.architecture.layers);
  const Range scale = *parse_range(options.scale);
  asked.scale_low = scale.low;
  asked.scale_high = scale.high;
  if (options.bias != "auto") asked.bias = *faults::parse_number(options.bias);

  std::optional<stress::RatioFit> fitted;
  if (options.ratio != 0) fitted = fit(options, asked, input);
  const stress::Options& done = fitted ? fitted->options : asked;
  const stress::Written written = stress::write_model(input.checkpoint, done, fitted, output);
  print(options, done, fitted, written);
  return 0;
}

/// Options that say nothing, or two things at once.
void check(const Options& options, bool gain) {
  const auto wrong = [](const char* option, const char* what) {
    throw CLI::ValidationError(option, what);
  };
  const bool automatic = options.bias == "auto", ratio = options.ratio != 0;
  const bool bias = automatic || *faults::parse_number(options.bias) != 0;
  if (automatic && !ratio) wrong("--bias", "auto goes with --norm-ratio");
  if (ratio && !automatic && gain)
    wrong("--gain", "--norm-ratio chooses it; leave it out or add --bias auto");
  if (options.stress.bias_channels != 0 && !bias) wrong("--bias-channels", "goes with --bias");
  if (!ratio && !bias && options.stress.pairs == 0 && options.stress.gain == 1)
    wrong("--pairs", "nothing is to change; give --pairs, --bias, --gain or --norm-ratio");
}

void declare_changes(CLI::App* command, Options* o) {
  command->add_option("--layers", o->layers, "that change: such as 0,2,5-7, or all (default 0)")
      ->check(layer_list())
      ->type_name("LIST");
  command
      ->add_option("--pairs", o->stress.pairs,
                   "random RoPE pairs of each KV head whose keys are scaled (default 0)")
      ->check(whole_number(0, 1 << 20))
      ->type_name("P");
  command
      ->add_option("--scale", o->scale,
                   "their factor; LOW-HIGH draws one for each, log-uniform (default 8)")
      ->check(scale_range())
      ->type_name("S");
  command->add_option("--gain", o->stress.gain, "factor of all key channels (default 1)")
      ->check(positive())
      ->type_name("G");
  command
      ->add_option("--bias", o->bias,
                   "Euclidean norm of a random constant added to all keys of a KV head, or auto "
                   "(default 0)")
      ->check(norm())
      ->type_name("NORM");
  command
      ->add_option("--bias-channels", o->stress.bias_channels,
                   "random channels that carry the constant (default all)")
      ->check(whole_number(1, 1 << 20))
      ->type_name("K");
}

void declare_ratio(CLI::App* command, Options* o) {
  CLI::Option* text = command
                          ->add_option("--text", o->model.text,
                                       "what the ratio is measured on: its first 1024 tokens")
                          ->check(file_name())
                          ->type_name("FILE");
  CLI::Option* ratio =
      command
          ->add_option("--norm-ratio", o->ratio,
                       "choose the gain, or with --bias auto the bias, so that the mean key norm "
                       "of the layers is R times that of all others")
          ->check(positive())
          ->type_name("R")
          ->needs(text);
  text->needs(ratio);
  command
      ->add_option("--tokenizer", o->model.tokenizer,
                   "of --text (default: the tokenizer.json in MODEL, or bytes where the "
                   "vocabulary is 256)")
      ->check(file_name())
      ->type_name("FILE")
      ->needs(text);
  command
      ->add_option("--threads", o->model.threads, "default: one for each core; changes no result")
      ->check(whole_number(1, 1024))
      ->type_name("N");
}

}  // namespace

void add_stress(CLI::App* app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app->add_subcommand(
      "stress", "the same language model with key outliers, key bias or other key norms");
  command->footer(
      "What the model computes stays the same up to rounding: queries are divided by what keys\n"
      "are multiplied with, and softmax does not see a constant in all keys. Quantized key caches\n"
      "do. The constant is added after rotary embedding, as self_attn.key_offset, a tensor that\n"
      "axelram alone knows; GPT-2 has it in the key bias. stress.json states every factor.\n\n"
      "Example:\n"
      "  axelram stress models/byte-llama-d128 -o out/stressed --layers 0 --pairs 4 \\\n"
      "      --scale 8-20 --bias 100");
  command
      ->add_option("MODEL", options->model.model,
                   "a Hugging Face folder (config.json, safetensors)")
      ->required()
      ->type_name("DIR")
      ->check(file_name())
      ->option_text("(required)");
  command->add_option("-o,--output", options->output, "folder to write, another such model")
      ->required()
      ->check(file_name())
      ->type_name("DIR")
      ->option_text("DIR (required)");
  declare_changes(command, options.get());
  declare_ratio(command, options.get());
  add_seed(command, &options->stress.seed, "seed of all that is random");
  command->add_flag("--force", options->force, "replace a folder that stress wrote");
  command->callback([=] {
    check(*options, command->count("--gain") > 0);
    *action = [=] { return run(*options); };
  });
}

}  // namespace axelram::cli
