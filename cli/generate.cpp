#include "axelram/commands/generate.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"

namespace axelram::cli {
namespace {

Status execute(const commands::GenerateOptions& options) {
  const commands::GenerateResult result = commands::generate(options);
  std::cout << "configuration  " << result.configuration << "\nfiles          "
            << result.files.size() << "\ndirectory      " << result.directory << "\ntop            "
            << result.top << " (sources in axelram.f, widths and ports in axelram.json)\n";
  return Status::done;
}

}  // namespace

void add_generate(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::GenerateOptions>();
  CLI::App* command = app->add_subcommand("generate", "write the RTL of a configuration");
  command->footer(
      "Writes rtl/*.sv (parameter package, ROM contents and top, named after the configuration),\n"
      "rtl/common/ (modules, the same for all configurations), axelram.f, FuseSoC cores,\n"
      "axelram.sdc, axelram.json (widths in bits, latencies in cycles, constants, ports),\n"
      "views/ (stubs of its SRAMs and a request for them, for other flows),\n"
      "config.yaml, and a test bench with vectors, which README.md says how to run. The same\n"
      "configuration gives the same bytes. Existing files with the same content are not "
      "touched.\n\n"
      "Example:\n  axelram generate configs/paper-d128-b3.yaml -o out/paper-d128-b3");
  add_config(command, &options->config);
  add_output(command, &options->directory, "directory to write; created if it does not exist",
             "DIR");
  command->add_flag("--observe", options->observe,
                    "ports obs_* on the top, which show intermediate values");
  command->add_flag("--force", options->force, "write over files with other content");
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
