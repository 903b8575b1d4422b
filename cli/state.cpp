#include "axelram/commands/state.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

void print(const commands::StateOptions& options, const commands::StateResult& r) {
  const MemoryParameters& m = r.identity.memory;
  std::cout << "state          " << r.path << ", " << r.tokens << " tokens\nmodel          "
            << r.identity.model << "\nmemory         " << r.layers << " layers of " << r.heads
            << " KV heads of " << r.identity.parameters.head_dim << "; window " << m.window
            << ", exact " << m.exact << ", summary " << m.summary << ", sinks " << m.sinks
            << "; evict " << name_of(m.evict) << ", store " << name_of(m.store)
            << "\nrecords        " << r.identity.parameters.index_bits << " bits, code "
            << r.identity.code << "\n\n";
  std::vector<std::vector<std::string>> rows = {{"layer", "head", "window", "sinks", "exact",
                                                 "summaries", "free", "oldest", "merged", "gate"}};
  for (const commands::StateHead& head : r.memories)
    rows.push_back({std::to_string(head.layer), std::to_string(head.head),
                    std::to_string(head.window), std::to_string(head.sinks),
                    std::to_string(head.exact), std::to_string(head.summaries),
                    std::to_string(head.free), head.oldest < 0 ? "-" : std::to_string(head.oldest),
                    std::to_string(head.merged), fixed(head.gate, 1)});
  std::cout << table(rows) << "\ndigest and all slots hold"
            << (options.model.model.empty() ? "; model and memory were not compared (--model)\n"
                                            : "; model and memory are these\n");
}

Status execute(const commands::StateOptions& options) {
  print(options, commands::state_of(options));
  return Status::done;
}

}  // namespace

void add_state(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::StateOptions>();
  CLI::App* command =
      app->add_subcommand("state", "what a state of memories holds, by layer and head");
  command->footer(
      "Checks the whole file: names, sizes, digest, and whether tokens can have left such slots.\n"
      "The digest is of the slots. With --model, what the file says of its model and memory is\n"
      "compared too; --cache names the memory, unless it is the default.\n"
      "oldest: position of the oldest token; merged: tokens in summaries; gate: mean code, 0 to "
      "255.\n\nExamples:\n  axelram state readme.state\n"
      "  axelram state license.state --model models/byte-coda-d128");
  command->add_option("STATE", options->state, "a file that 'axelram prefill' wrote")
      ->required()
      ->type_name("FILE")
      ->check(file_name())
      ->option_text("(required)");
  CLI::Option* const model =
      command
          ->add_option("--model", options->model.model, "the model that the state must belong to")
          ->check(file_name())
          ->type_name("PATH|NAME");
  add_memory(command, &options->cache)->needs(model);
  add_json(command, &options->json, "the same figures");
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
