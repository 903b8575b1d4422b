#include "axelram/commands/complete.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"

namespace axelram::cli {
namespace {

Status execute(const commands::CompleteOptions& options) {
  const commands::CompleteResult result = commands::complete(options);
  std::cout << options.prompt << result.text << "\n";
  return Status::done;
}

}  // namespace

void add_complete(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::CompleteOptions>();
  commands::CompleteOptions* const o = options.get();
  CLI::App* command = app->add_subcommand(
      "complete", "the most likely text behind a state of memories, or behind a prompt");
  command->footer(
      "Prints the prompt and the tokens that follow, each the most likely one. The state stays as\n"
      "it is. A checkpoint without a memory of its own wants sinks=4.\n\nExample:\n"
      "  axelram complete models/byte-llama-d128 --from readme.state --prompt 'The ' \\\n"
      "      --tokens 40 --cache memory:window=64,exact=32,sinks=4,summary=16");
  add_model_alone(command, &o->model);
  add_memory(command, &o->cache);
  add_from(command, &o->from, "a state to go on from");
  command->add_option("--prompt", o->prompt, "text that follows the state")->type_name("TEXT");
  command->add_option("--tokens", o->tokens, "tokens that follow")
      ->required()
      ->check(whole_number(1, std::uint64_t{1} << 31))
      ->type_name("N")
      ->option_text("N (required)");
  add_json(command, &o->json, "ids and text");
  add_force(command, &o->force);
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
