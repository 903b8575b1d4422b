#include "axelram/commands/list.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

struct ListArguments {
  commands::ListOptions options;
  bool names = false;
};

void print(const ListArguments& arguments, const commands::ListResult& result) {
  if (arguments.options.json == "-") {
    std::cout << commands::to_json(result);
    return;
  }
  if (arguments.names) {
    for (const auto& row : result.rows) std::cout << row.front() << "\n";
    return;
  }
  std::vector<std::vector<std::string>> rows = {result.columns};
  rows.insert(rows.end(), result.rows.begin(), result.rows.end());
  std::cout << left_table(rows);
}

Status execute(const ListArguments& arguments) {
  commands::list(arguments.options, [&](const commands::ListResult& result) {
    print(arguments, result);
    std::cout << std::flush;
  });
  return Status::done;
}

}  // namespace

void add_list(CLI::App* app, Action* action) {
  auto arguments = std::make_shared<ListArguments>();
  CLI::App* command = app->add_subcommand(
      "list",
      "codes, codebooks, caches, engines, configurations, configuration keys or pretrained models");
  std::string footer = "Tables:\n";
  for (const EnumRow<ListKind>& row : EnumNames<ListKind>::rows)
    footer += "  " + std::string(row.name) + std::string(16 - row.name.size(), ' ') +
              std::string(row.help) + "\n";
  command->footer(footer + "\nExample:\n  axelram list codes --names");
  add_name(command, "KIND", &arguments->options.kind, "table", false)
      ->required()
      ->option_text("(required)");
  command->add_flag("--names", arguments->names, "only the names, one per line");
  add_json(command, &arguments->options.json, "the table as JSON; '-' prints it");
  add_force(command, &arguments->options.force);
  command->callback([=] { *action = [=] { return execute(*arguments); }; });
}

}  // namespace axelram::cli
