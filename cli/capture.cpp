#include "axelram/commands/capture.hpp"

#include <iostream>
#include <limits>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "progress_line.hpp"

namespace axelram::cli {
namespace {

void print(const commands::CaptureResult& result) {
  const checkpoints::Architecture& a = result.architecture;
  std::cout << "model          " << result.model << ", " << a.layers << " layers, " << a.kv_heads
            << " KV heads of " << a.head_dim << "\nlayer          " << result.layer
            << "\nhead           " << result.head << "\nwindows        " << result.windows
            << "\nkeys           " << result.keys
            << (result.before_rotary ? ", before rotary embedding" : "") << "\nqueries        "
            << result.queries << ", " << a.group()
            << (result.by_token ? " query heads token by token"
                                : " query heads one after the other")
            << "\nformat         " << name_of(result.format) << "\n";
}

Status execute(const commands::CaptureOptions& options) {
  ProgressLine progress;
  commands::capture(options, progress.receiver(),
                    progress.then([](const auto& figures) { print(figures); }));
  std::cout << "trace          " << options.output << "\n";
  return Status::done;
}

}  // namespace

void add_capture(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::CaptureOptions>();
  CLI::App* command = app->add_subcommand(
      "capture", "real keys, values and queries of one layer and KV head, as a trace");
  command->footer(
      "Keys and queries are taken after rotary embedding, with their values, tokens in order; "
      "each\n"
      "window is a separate text. The queries are those of all query heads that share the KV head: "
      "all of\n"
      "the first head, then all of the next, or with --by-token token after token, as run --cache\n"
      "takes them. Attention reads an FP16 cache (with --format bf16: floats).\n\n"
      "Example:\n"
      "  axelram capture models/byte-llama-d128 README.md --layer 2 --head 0 -o "
      "captured.safetensors");
  add_model(command, &options->model);
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
  add_output(command, &options->output, "trace, a safetensors file");
  command->add_option("--tokens", options->tokens, "the first N of the text (default: one window)")
      ->check(whole_number(1, most))
      ->type_name("N");
  add_window(command, &options->window);
  command
      ->add_option("--queries", options->queries,
                   "of each query head, only those of the last N tokens (default: all)")
      ->check(whole_number(1, most))
      ->type_name("N");
  command->add_flag("--by-token", options->by_token,
                    "queries token after token, those of one token in the order of query heads");
  command->add_flag(
      "--before-rotary", options->before_rotary,
      "keys before rotary embedding, with cosines, sines and key offset; queries stay "
      "turned, token after token (run --cache with rope=pre)");
  command->add_flag("--memory", options->memory,
                    "with the logits of the write gate, token after token: a trace for 'run' with "
                    "a bounded memory; 16, an open gate, without one");
  add_name(command, "--format", &options->format, "element format");
  add_json(command, &options->json, "sizes of the trace");
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
