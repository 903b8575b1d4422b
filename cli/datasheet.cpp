#include "axelram/commands/datasheet.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"

namespace axelram::cli {
namespace {

Status execute(const commands::DatasheetOptions& options) {
  commands::datasheet(options, [](const commands::DatasheetResult& result) {
    std::cout << "configuration " << result.configuration << "\n\n"
              << result.summary << "\n"
              << std::flush;
  });
  return Status::done;
}

}  // namespace

void add_datasheet(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::DatasheetOptions>();
  CLI::App* command =
      app->add_subcommand("datasheet", "everything known about one macro on one page");
  command->footer(
      "The page has no other files and needs no network. It shows structure, ports, timing,\n"
      "operators, memory, accuracy and the promises of a code, each figure with its method. The\n"
      "same program, configuration and trace give the same bytes. The page needs python3 with\n"
      "matplotlib; --json and --markdown do not.\n\n"
      "Example:\n"
      "  axelram datasheet configs/paper-d128-b3.yaml -o paper-d128-b3.html");
  add_config(command, &options->config);
  add_trace(command, &options->trace);
  command->add_option("-o,--output", options->html, "the page, HTML")
      ->check(file_name())
      ->type_name("FILE");
  add_json(command, &options->json, "the same facts, for programs and scripts/datasheet");
  command->add_option("--markdown", options->markdown, "the same facts as Markdown")
      ->check(file_name())
      ->type_name("FILE");
  command->add_flag("--netlist", options->netlist,
                    "count with Yosys what 'axelram report --netlist' does; takes half a minute");
  command->add_flag("--synthesize", options->synthesize,
                    "measure with Yosys what 'axelram report --synthesize' does; takes minutes");
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
