#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>

#include "arguments.hpp"
#include "axelram/calibration/windows.hpp"
#include "axelram/files/errors.hpp"
#include "commands.hpp"
#include "key_source.hpp"
#include "model_arguments.hpp"
#include "outputs.hpp"

namespace axelram::cli {
namespace {

struct Options {
  ModelArguments model;
  std::string output;
  std::string format = "fp16";
  std::uint64_t layer = 0, head = 0;
  std::uint64_t tokens = 0, window = 0, queries = 0;  // 0: not given
  bool force = false;
};

files::Metadata metadata(const Options& options, std::size_t tokens, std::size_t window) {
  return {{"model", base_name(options.model.model)},    {"text", base_name(options.model.text)},
          {"skip", std::to_string(options.model.skip)}, {"tokens", std::to_string(tokens)},
          {"window", std::to_string(window)},           {"layer", std::to_string(options.layer)},
          {"head", std::to_string(options.head)},       {"element_format", options.format}};
}

int capture(const Options& options) {
  Outputs outputs(options.force, input_files(options.model));
  outputs.add(options.output);
  const ModelAndText input = read_model_and_text(options.model, {});
  const checkpoints::Architecture& a = input.checkpoint.architecture;
  calibration::check_head_dim(a);
  const std::size_t window = window_size(options.window, a);
  const std::size_t tokens =
      options.tokens != 0 ? options.tokens : std::min(window, input.text.ids.size());

  const auto format = options.format == "bf16" ? ElementFormat::bf16 : ElementFormat::fp16;
  const auto windows = calibration::consecutive_windows(input.text, tokens, window);
  KeySource source(options.model, input.checkpoint, windows, format);
  std::optional<std::size_t> queries;
  if (options.queries != 0) queries = options.queries;
  files::Trace trace = calibration::capture(source.get(), options.layer, options.head, queries);
  source.finish();
  trace.metadata = metadata(options, tokens, window);
  files::write_trace(options.output, trace, options.force);

  std::cout << "model          " << options.model.model << ", " << a.layers << " layers, "
            << a.kv_heads << " KV heads of " << a.head_dim << "\nlayer          " << options.layer
            << "\nhead           " << options.head << "\nwindows        " << windows.size()
            << "\nkeys           " << trace.key_count() << "\nqueries        "
            << trace.query_count() << ", " << a.group() << " query heads one after the other"
            << "\nformat         " << options.format << "\ntrace          " << options.output
            << "\n";
  return 0;
}

}  // namespace

void add_capture(CLI::App* app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app->add_subcommand("capture", "real keys and queries of one layer and KV head, as a trace");
  command->footer(
      "Keys and queries are those after rotary embedding, tokens in order, each window a text of\n"
      "its own. The queries are those of all query heads that share the KV head: all of the first\n"
      "head, then all of the next. Attention reads an FP16 cache (with --format bf16: floats).\n\n"
      "Example:\n"
      "  axelram capture models/byte-llama-d128 README.md --layer 2 --head 0 -o "
      "captured.safetensors");
  add_model_arguments(command, &options->model);
  const std::uint64_t most = std::numeric_limits<std::int32_t>::max();
  command->add_option("--layer", options->layer, "layer, from 0")
      ->required()
      ->check(whole_number(0, most))
      ->type_name("L")
      ->option_text("L (required)");
  command->add_option("--head", options->head, "KV head, from 0")
      ->required()
      ->check(whole_number(0, most))
      ->type_name("H")
      ->option_text("H (required)");
  command->add_option("-o,--output", options->output, "trace, a safetensors file")
      ->required()
      ->check(file_name())
      ->type_name("FILE")
      ->option_text("FILE (required)");
  command->add_option("--tokens", options->tokens, "the first N of the text (default: one window)")
      ->check(whole_number(1, most))
      ->type_name("N");
  add_window(command, &options->window);
  command
      ->add_option("--queries", options->queries,
                   "of each query head those of the last N tokens alone (default: all)")
      ->check(whole_number(1, most))
      ->type_name("N");
  command->add_option("--format", options->format, "of the elements: fp16 (default) or bf16")
      ->check(CLI::IsMember({"fp16", "bf16"}))
      ->type_name("NAME");
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return capture(*options); }; });
}

}  // namespace axelram::cli
