#include "axelram/commands/stress.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "axelram/faults/text.hpp"
#include "commands.hpp"
#include "seeds.hpp"

namespace axelram::cli {
namespace {

constexpr double kMaxFactor = 1e6;

struct StressArguments {
  commands::StressOptions run;
  std::string layers = "0", scale = "8", bias = "0";
};

struct Range {
  double low, high;
};

/// "8" or "8-20". The dash of an exponent does not separate.
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
        const bool right = range && range->low >= 1 / kMaxFactor && range->low <= range->high &&
                           range->high <= kMaxFactor;
        return right ? std::string()
                     : "'" + text + "'; give a factor, 1e-6 .. 1e6, or two as LOW-HIGH";
      },
      "");
}

CLI::Validator positive() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto value = faults::parse_number(text);
        return value && *value >= 1 / kMaxFactor && *value <= kMaxFactor
                   ? std::string()
                   : "'" + text + "'; give a number, 1e-6 .. 1e6";
      },
      "");
}

CLI::Validator norm() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto value = faults::parse_number(text);
        return text == "auto" || (value && *value >= 0 && *value <= kMaxFactor)
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

void print(const StressArguments& arguments, const commands::StressResult& result) {
  const stress::Changes& done = result.changes;
  std::cout << "model          " << result.model << "\nlayers         " << arguments.layers
            << "\npairs          " << done.pairs << " of each KV head";
  if (done.pairs != 0) std::cout << ", times " << arguments.scale;
  std::cout << "\ngain           " << done.gain << "\nbias           " << done.bias;
  if (done.bias != 0 && done.bias_channels != 0)
    std::cout << " on " << done.bias_channels << " channels";
  std::cout << "\n";
  if (result.fit)
    std::cout << "key norms      " << result.fit->chosen << " in these layers, "
              << result.fit->others << " in the others: " << result.fit->chosen / result.fit->others
              << " times, mean of " << result.fit->tokens << " tokens\n";
  std::cout << std::flush;
}

Status execute(const StressArguments& arguments) {
  const commands::StressResult result = commands::stress_model(
      arguments.run, [&](const commands::StressResult& figures) { print(arguments, figures); });
  std::cout << "tensors        " << result.written.changed << " of " << result.written.tensors
            << " changed\ndirectory      " << result.output << " (factors in stress.json)\n";
  return Status::done;
}

/// Fills `run` from the texts.
void complete(StressArguments* arguments) {
  stress::Changes& changes = arguments->run.changes;
  arguments->run.all_layers = arguments->layers == "all";
  if (!arguments->run.all_layers) {
    changes.layers.clear();
    for (const std::uint64_t layer : parse_seeds(arguments->layers))
      changes.layers.push_back(layer);
  }
  const Range scale = *parse_range(arguments->scale);
  changes.scale_low = scale.low;
  changes.scale_high = scale.high;
  arguments->run.fit_bias = arguments->bias == "auto";
  if (!arguments->run.fit_bias) changes.bias = *faults::parse_number(arguments->bias);
}

/// Rejects options that change nothing, or that contradict each other.
void check(const StressArguments& options, bool gain) {
  const auto wrong = [](const char* option, const char* what) {
    throw CLI::ValidationError(option, what);
  };
  const bool automatic = options.bias == "auto", ratio = options.run.ratio != 0;
  const bool bias = automatic || *faults::parse_number(options.bias) != 0;
  if (automatic && !ratio) wrong("--bias", "auto requires --norm-ratio");
  if (ratio && !automatic && gain)
    wrong("--gain", "--norm-ratio chooses it; leave it out or add --bias auto");
  if (options.run.changes.bias_channels != 0 && !bias) wrong("--bias-channels", "requires --bias");
  if (!ratio && !bias && options.run.changes.pairs == 0 && options.run.changes.gain == 1)
    wrong("--pairs", "nothing is to change; give --pairs, --bias, --gain or --norm-ratio");
}

void declare_changes(CLI::App* command, StressArguments* o) {
  command
      ->add_option("--layers", o->layers, "layers to change, such as 0,2,5-7, or all (default 0)")
      ->check(layer_list())
      ->type_name("LIST");
  command
      ->add_option("--pairs", o->run.changes.pairs,
                   "random RoPE pairs of each KV head whose keys are scaled (default 0)")
      ->check(whole_number(0, 1 << 20))
      ->type_name("P");
  command
      ->add_option("--scale", o->scale,
                   "their factor; LOW-HIGH draws one for each, log-uniform (default 8)")
      ->check(scale_range())
      ->type_name("S");
  command->add_option("--gain", o->run.changes.gain, "factor of all key channels (default 1)")
      ->check(positive())
      ->type_name("G");
  command
      ->add_option("--bias", o->bias,
                   "Euclidean norm of a random constant added to all keys of a KV head, or auto "
                   "(default 0)")
      ->check(norm())
      ->type_name("NORM");
  command
      ->add_option("--bias-channels", o->run.changes.bias_channels,
                   "random channels that carry the constant (default all)")
      ->check(whole_number(1, 1 << 20))
      ->type_name("K");
}

void declare_ratio(CLI::App* command, StressArguments* o) {
  CLI::Option* text = command
                          ->add_option("--text", o->run.model.text,
                                       "text whose first 1024 tokens the ratio is measured on")
                          ->check(file_name())
                          ->type_name("FILE");
  CLI::Option* ratio =
      command
          ->add_option("--norm-ratio", o->run.ratio,
                       "choose the gain, or with --bias auto the bias, so that the mean key norm "
                       "of the layers is R times that of all others")
          ->check(positive())
          ->type_name("R")
          ->needs(text);
  text->needs(ratio);
  command
      ->add_option("--tokenizer", o->run.model.tokenizer,
                   "tokenizer of --text (default: MODEL's own, or bytes if the vocabulary is 256)")
      ->check(file_name())
      ->type_name("FILE")
      ->needs(text);
  add_threads(command, &o->run.model.threads);
}

}  // namespace

void add_stress(CLI::App* app, Action* action) {
  auto options = std::make_shared<StressArguments>();
  CLI::App* command = app->add_subcommand(
      "stress", "the same language model with key outliers, key bias or other key norms");
  command->footer(
      "The model computes the same up to rounding: queries are divided by the factors of the\n"
      "keys, and softmax ignores a constant added to all keys. A quantized key cache does not. "
      "The\n"
      "constant is added after rotary embedding, as self_attn.key_offset, a tensor that only\n"
      "axelram reads; for GPT-2 it is part of the key bias. stress.json lists every factor.\n\n"
      "Example:\n"
      "  axelram stress models/byte-llama-d128 -o out/stressed --layers 0 --pairs 4 \\\n"
      "      --scale 8-20 --bias 100");
  command
      ->add_option(
          "MODEL", options->run.model.model,
          "a Hugging Face directory (config.json, safetensors), or a name of 'axelram list "
          "models'")
      ->required()
      ->type_name("DIR|NAME")
      ->check(file_name())
      ->option_text("(required)");
  add_output(command, &options->run.output, "directory to write, another such model", "DIR");
  declare_changes(command, options.get());
  declare_ratio(command, options.get());
  add_seed(command, &options->run.changes.seed, "seed of all that is random");
  add_json(command, &options->run.json, "what was changed");
  command->add_flag("--force", options->run.force, "replace a directory that stress wrote");
  command->callback([=] {
    check(*options, command->count("--gain") > 0);
    complete(options.get());
    *action = [=] { return execute(*options); };
  });
}

}  // namespace axelram::cli
