#include "axelram/commands/report.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

void print(const commands::ReportResult& result) {
  std::cout << "configuration " << result.configuration << "\n\n" << sim::report_text(result.lines);
  if (result.synthesis != sim::Synthesis::none)
    std::cout << "\n" << agreement(result.synthesis, result.disagreements);
}

Status execute(const commands::ReportOptions& options) {
  ProgressLine progress;
  const commands::ReportResult result = commands::report(
      options, progress.receiver(), progress.then([](const auto& r) { print(r); }));
  return status_of(result.disagreements.empty());
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
      "cycles, and its scores compared with FP64. Exit code 1 if the netlist does not have the\n"
      "operators and the storage of the closed forms.\n\n"
      "Example:\n"
      "  axelram report configs/paper-d128-b3.yaml traces/byte-llama-d128.safetensors");
  add_config(command, &options->config);
  add_trace(command, &options->trace);
  add_json(command, &options->json, "the same figures as a list of objects");
  add_synthesis(command, &options->synthesis);
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
