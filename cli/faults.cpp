#include "axelram/commands/faults.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "faults_arguments.hpp"
#include "faults_text.hpp"
#include "progress_line.hpp"

namespace axelram::cli {
namespace {

/// A line on the scores that no fault changes; nothing without exact tokens.
std::string exact_text(const Parameters& p) {
  if (p.copies() == 0) return "";
  return "exact tokens: scores of the first " + std::to_string(p.exact_first) +
         " and of the newest " + std::to_string(p.exact_last) +
         " keys are those of copies, which no fault hits; words, indices and norms are those "
         "of all records\n";
}

Status campaign(const FaultsArguments& arguments, const faults::Processes& processes) {
  ProgressLine progress;
  const commands::FaultsResult result = commands::run_faults(
      arguments.run, processes, progress.receiver(),
      progress.then([&](const commands::FaultsResult& figures) {
        std::cout << "configuration " << figures.config.name << ", model "
                  << name_of(figures.model.kind) << ", engine " << name_of(figures.engine)
                  << ", seed " << figures.seed << "\n"
                  << exact_text(figures.config.parameters) << "\n"
                  << faults_text(figures.report, arguments.details);
      }));
  if (!processes.first()) return Status::done;
  for (const std::string& file : result.dumped) std::cout << "dumped: " << file << "\n";
  return status_of(result.report.holds());
}

Status replay(const FaultsArguments& arguments) {
  ProgressLine progress;
  const commands::ReplayResult result = commands::replay_case(
      {arguments.run.config, arguments.run.trace, arguments.replay, arguments.run.engine},
      progress.receiver());
  progress.clear();
  std::cout << replay_text(result.dumped, result.replay);
  return status_of(result.holds());
}

/// Only rank 0 reports errors and the verdict, which are the same for all. The others end with 0,
/// because mpirun kills all ranks at the first other code, before rank 0 has printed.
Status execute(const FaultsArguments& arguments) {
  const faults::Processes processes;
  try {
    if (arguments.replay.empty()) return campaign(arguments, processes);
    return processes.first() ? replay(arguments) : Status::done;
  } catch (const files::InputError&) {
    if (processes.first()) throw;
  } catch (const files::EnvironmentError&) {
    if (processes.first()) throw;
  }
  return Status::done;
}

}  // namespace

void add_faults(CLI::App* app, Action* action) {
  auto arguments = std::make_shared<FaultsArguments>();
  CLI::App* command =
      app->add_subcommand("faults", "bit-error campaigns, compared with closed forms");
  command->footer(
      "Injects seeded faults into the stored keys of a trace, decodes, repairs and scores them,\n"
      "and tests every statistic against its closed form. Exit code 1 if one does not hold.\n"
      "Results depend on the seed, not on the number of threads or of ranks of mpirun.\n\n"
      "Example:\n"
      "  axelram faults configs/paper-d128-b3.yaml traces/byte-llama-d128.safetensors \\\n"
      "      --ber 1e-4,1e-3,1e-2 --code hamming74,hamming84,golay24 \\\n"
      "      --erasure keep,zero,interpolate --codewords 10000000 --json faults.json");
  declare_faults(command, arguments.get());
  command->callback([=] {
    complete_faults(*command, arguments.get());
    *action = [=] { return execute(*arguments); };
  });
}

}  // namespace axelram::cli
