#include "axelram/sim/report.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "axelram/files/atomic_file.hpp"
#include "commands.hpp"
#include "outputs.hpp"

namespace axelram::cli {
namespace {

struct Options {
  std::string config;
  std::string trace;
  std::string json;
  bool synthesize = false;
  bool force = false;
};

int report(const Options& options) {
  const files::Config config = files::read_config(options.config);
  std::optional<files::Trace> trace;
  if (!options.trace.empty())
    trace = files::read_trace(options.trace, config.parameters, config.max_keys);
  Outputs outputs(options.force, {options.config, options.trace});
  outputs.protect(config, options.config);
  outputs.add(options.json);

  const std::vector<sim::ReportLine> lines = sim::report(config, trace, options.synthesize);
  if (!options.json.empty())
    files::write_file(options.json, sim::report_json(lines), options.force);
  std::cout << "configuration " << config.name << "\n\n" << sim::report_text(lines);
  return 0;
}

}  // namespace

void add_report(CLI::App* app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app->add_subcommand(
      "report", "operations, hardware, memory, cycles and accuracy beside the paper's figures");
  command->footer(
      "Method: counted (closed form), measured (data through the golden model, or Yosys), n/a. The "
      "paper's\n"
      "figures are for head_dim 128 and index_bits 3 and stand beside those configurations only.\n"
      "A full store is max_keys keys. With a trace: its cycles, and its scores against FP64.\n\n"
      "Example:\n"
      "  axelram report configs/paper-d128-b3.yaml traces/byte-llama-d128.safetensors");
  add_config(command, &options->config);
  add_trace(command, &options->trace);
  add_json(command, &options->json, "the same figures as a list of objects");
  command->add_flag("--synthesize", options->synthesize,
                    "measure the gates of encoders and decoders with Yosys");
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return report(*options); }; });
}

}  // namespace axelram::cli
