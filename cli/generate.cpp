#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "axelram/rtl/generator.hpp"
#include "commands.hpp"

namespace axelram::cli {
namespace {

struct Options {
  std::string config;
  std::string directory;
  bool force = false;
};

int generate(const Options& options) {
  const files::Config config = files::read_config(options.config);
  const std::vector<rtl::GeneratedFile> generated = rtl::generate(config);
  rtl::write_generated(generated, options.directory, options.force);
  std::cout << "configuration  " << config.name << "\nfiles          " << generated.size()
            << "\nfolder         " << options.directory
            << "\ntop            axelram_top (sources in axelram.f, widths and ports in "
               "axelram.json)\n";
  return 0;
}

}  // namespace

void add_generate(CLI::App* app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app->add_subcommand("generate", "write the RTL of a configuration");
  command->footer(
      "Writes rtl/*.sv (modules, parameter package, ROM contents, top), axelram.f, axelram.core\n"
      "(FuseSoC), axelram.sdc, axelram.json (widths in bits, latencies in cycles, constants,\n"
      "ports) and config.yaml. The same configuration gives the same bytes. Files that are there\n"
      "already with the same content are left alone.\n\n"
      "Example:\n  axelram generate configs/paper-d128-b3.yaml -o out/paper-d128-b3");
  add_config(command, &options->config);
  command->add_option("-o,--output", options->directory, "folder to write; created if need be")
      ->required()
      ->check(file_name())
      ->type_name("DIR")
      ->option_text("DIR (required)");
  command->add_flag("--force", options->force, "write over files with other content");
  command->callback([=] { *action = [=] { return generate(*options); }; });
}

}  // namespace axelram::cli
