#include "axelram/commands/fold.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

Status execute(const commands::FoldOptions& options) {
  const commands::FoldResult result = commands::fold(options);
  std::cout << "model          " << result.model << "\nbalance        " << result.balance
            << "\ntensors        " << result.folded.written.changed << " of "
            << result.folded.written.tensors << " changed\nlogits         change by "
            << fixed(100 * result.folded.logit_change, 3) << " % (root mean square over "
            << result.folded.tokens << " tokens)\ndirectory      " << result.output << "\n";
  return Status::done;
}

}  // namespace

void add_fold(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::FoldOptions>();
  CLI::App* command =
      app->add_subcommand("fold", "write a model whose keys and queries are balanced");
  command->footer(
      "The model computes the same function: queries are multiplied by the factors that 'axelram\n"
      "calibrate --balance' writes, keys are divided by them. Weights keep their types. The "
      "logits\n"
      "of 64 tokens are compared; nothing is written if they change by more than 5 %. Signs,\n"
      "centers and feedback are calibrated again, on the folded model.\n\n"
      "Example:\n"
      "  axelram fold models/byte-llama-d128 --balance balance.safetensors -o balanced");
  command
      ->add_option("MODEL", options->model, "a Hugging Face directory (config.json, safetensors)")
      ->required()
      ->type_name("PATH")
      ->check(file_name())
      ->option_text("(required)");
  command->add_option("--balance", options->balance, "factors, of 'axelram calibrate --balance'")
      ->required()
      ->type_name("FILE")
      ->check(file_name());
  add_output(command, &options->output, "directory to write", "DIR");
  add_threads(command, &options->threads);
  add_json(command, &options->json, "what was written, and how far logits changed");
  command->add_flag("--force", options->force, "replace a directory that fold wrote");
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
