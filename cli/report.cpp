#include "axelram/commands/report.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "axelram/commands/tier_report.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

void print(const commands::ReportResult& result) {
  std::cout << "configuration " << result.configuration << "\n\n" << report::text(result.lines);
  if (result.synthesis != report::Synthesis::none)
    std::cout << "\n" << agreement(result.synthesis, result.disagreements);
}

Status execute(const commands::ReportOptions& options) {
  ProgressLine progress;
  const commands::ReportResult result = commands::report(
      options, progress.receiver(), progress.then([](const auto& r) { print(r); }));
  return status_of(result.disagreements.empty());
}

void print(const commands::TierReportResult& result) {
  std::cout << "cache  " << result.cache << "\nmodel  " << result.model << "\n\n"
            << report::text(result.lines);
}

Status execute(const commands::TierReportOptions& options) {
  commands::tier_report(options, [](const auto& result) { print(result); });
  return Status::done;
}

/// Rejects options of the report of a macro beside --tiers.
void check_tiers(const CLI::App& command, const CLI::Option& tiers) {
  for (const char* name : {"CONFIG", "TRACE", "--netlist", "--synthesize", "--liberty", "--corner",
                           "--period", "--threads"})
    if (command.get_option(name)->count() > 0)
      throw CLI::ValidationError(
          tiers.get_name(),
          std::string("excludes ") + name + "; give --shape FILE, --json and --force alone");
  if (command.get_option("--shape")->count() == 0)
    throw CLI::RequiresError(tiers.get_name(), "--shape FILE");
}

}  // namespace

void add_report(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::ReportOptions>();
  auto tier_options = std::make_shared<commands::TierReportOptions>();
  CLI::App* command = app->add_subcommand(
      "report", "operations, hardware, memory, cycles and accuracy beside the paper's figures");
  command->footer(
      "Method: counted (closed form), measured (on data, or by Yosys), estimated (from the source\n"
      "that sram.model names), n/a. The paper's figures are for head_dim 128 and index_bits 3,\n"
      "and appear for those configurations only. A full store is max_keys keys. With a trace: its\n"
      "cycles, and its scores compared with FP64. Exit code 1 if the netlist does not have the\n"
      "operators and the storage of the closed forms.\n\n"
      "Example:\n"
      "  axelram report configs/paper-d128-b3.yaml traces/byte-llama-d128.safetensors\n"
      "  axelram report --tiers tiered:hot=64,warm=448 --shape model.yaml");
  CLI::Option* const config = add_config(command, &options->config);
  config->required(false)->option_text("(required without --tiers)");
  add_trace(command, &options->trace);
  CLI::Option* const tiers =
      command
          ->add_option(
              "--tiers", tier_options->specification,
              "in place of CONFIG: bytes of a tiered cache of the model of --shape FILE, by "
              "tier\nand kind, beside FP16 and beside ADR-004's figures; kivi:..., "
              "tiered:..., or\nkeys=...;values=... of them")
          ->type_name("SPEC");
  add_json(command, &options->json, "the same figures as a list of objects");
  add_synthesis(command, &options->synthesis, {tiers, &tier_options->shape});
  add_force(command, &options->force);
  command->callback([=] {
    if (tiers->count() > 0) {
      check_tiers(*command, *tiers);
      tier_options->json = options->json;
      tier_options->force = options->force;
      *action = [=] { return execute(*tier_options); };
      return;
    }
    if (config->count() == 0) throw CLI::RequiredError("CONFIG");
    *action = [=] { return execute(*options); };
  });
}

}  // namespace axelram::cli
