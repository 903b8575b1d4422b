#include "axelram/commands/report.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"

namespace axelram::cli {
namespace {

Status execute(const commands::ReportOptions& options) {
  commands::report(options, [](const commands::ReportResult& result) {
    std::cout << "configuration " << result.configuration << "\n\n"
              << sim::report_text(result.lines) << std::flush;
  });
  return Status::done;
}

}  // namespace

void add_report(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::ReportOptions>();
  CLI::App* command = app->add_subcommand(
      "report", "operations, hardware, memory, cycles and accuracy beside the paper's figures");
  command->footer(
      "Method: counted (closed form), measured (on data, or by Yosys), estimated (from the source\n"
      "that memory.model names), n/a. The paper's figures are for head_dim 128 and index_bits 3,\n"
      "and appear for those configurations only. A full store is max_keys keys. With a trace: its\n"
      "cycles, and its scores compared with FP64.\n\n"
      "Example:\n"
      "  axelram report configs/paper-d128-b3.yaml traces/byte-llama-d128.safetensors");
  add_config(command, &options->config);
  add_trace(command, &options->trace);
  add_json(command, &options->json, "the same figures as a list of objects");
  command->add_flag("--synthesize", options->synthesize,
                    "measure gates of units, encoders and decoders with Yosys; takes minutes");
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
