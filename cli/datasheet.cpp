#include "axelram/commands/datasheet.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

Status execute(const commands::DatasheetOptions& options) {
  ProgressLine progress;
  const commands::DatasheetResult result = commands::datasheet(
      options, progress.receiver(), progress.then([](const commands::DatasheetResult& sheet) {
        std::cout << "configuration " << sheet.configuration << "\n\n"
                  << sheet.summary << "\n"
                  << agreement(sheet.synthesis, sheet.disagreements);
      }));
  return status_of(result.disagreements.empty());
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
      "matplotlib; --json and --markdown do not. Exit code 1 if the netlist does not have the\n"
      "operators and the storage of the closed forms.\n\n"
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
  add_synthesis(command, &options->synthesis);
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
