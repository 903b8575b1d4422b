#include "axelram/commands/verify.hpp"

#include <iostream>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "progress_line.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

std::string phases_text(const std::vector<sim::VerifyPhase>& phases) {
  std::vector<std::vector<std::string>> rows = {
      {"phase", "keys", "records", "queries", "compared", "cycles", "predicted", ""}};
  for (const sim::VerifyPhase& phase : phases)
    rows.push_back({phase.name, std::to_string(phase.keys), std::to_string(phase.records),
                    std::to_string(phase.queries), std::to_string(phase.compared),
                    std::to_string(phase.cycles.total),
                    phase.predicted ? std::to_string(phase.predicted->total) : "-",
                    verdict(phase.holds)});
  return table(rows);
}

/// Corners met with their hits, then corners not met, then corners that this configuration cannot
/// reach.
std::string coverage_text(const std::vector<sim::CoverageBin>& coverage, bool covers) {
  std::vector<std::vector<std::string>> met;
  if (covers) met.push_back({"", "golden", "RTL"});
  std::string missed, unreachable;
  std::size_t missing = 0, reachable = 0;
  for (const sim::CoverageBin& bin : coverage) {
    const std::string meaning = bin.meaning.empty() ? "" : ": " + bin.meaning;
    const std::string line = "  " + bin.name + meaning + "\n";
    if (!bin.reachable) {
      unreachable += line;
      continue;
    }
    ++reachable;
    if (bin.met()) {
      met.push_back({"  " + bin.name, std::to_string(bin.hits)});
      if (covers) met.back().push_back(bin.rtl_hits ? std::to_string(*bin.rtl_hits) : "-");
    } else {
      ++missing;
      missed += line;
    }
  }
  std::string text = "coverage: " + std::to_string(reachable - missing) + " of " +
                     std::to_string(reachable) + " corners met, with hits\n" + table(met);
  text += missing == 0 ? "not met: none\n" : "NOT MET: " + std::to_string(missing) + "\n" + missed;
  if (!unreachable.empty()) text += "not in this configuration\n" + unreachable;
  return text;
}

void print(const commands::VerifyResult& result) {
  const sim::VerifyReport& report = result.report;
  std::cout << "configuration " << result.configuration << "\n\n"
            << phases_text(report.phases) << "\n"
            << coverage_text(report.coverage, result.covers) << "\n";
  if (report.mismatch)
    std::cout << "first mismatch: phase " << report.mismatch->phase << ", cycle "
              << report.mismatch->cycle << ", " << report.mismatch->tensor << ": "
              << report.mismatch->text << "\n";
  std::cout << "RTL equals golden: " << verdict(report.holds()) << "\n";
  if (result.coverage_required && !result.covered())
    std::cout << "coverage required: DOES NOT HOLD\n";
}

Status execute(const commands::VerifyOptions& options) {
  ProgressLine progress;
  const commands::VerifyResult result = commands::verify(
      options, progress.receiver(), progress.then([](const auto& figures) { print(figures); }));
  for (const std::string& file : result.report.dumped) std::cout << "dumped: " << file << "\n";
  return status_of(result.holds());
}

}  // namespace

void add_verify(CLI::App* app, Action* action) {
  auto options = std::make_shared<commands::VerifyOptions>();
  CLI::App* command = app->add_subcommand(
      "verify", "compare the RTL with golden, value by value and cycle by cycle");
  command->footer(
      "Directed corner cases, random vectors and the trace, with and without stalls, resets and\n"
      "clears. Prints what was compared, the corners met and those not met. Exit code 1 if\n"
      "anything differs; the stimulus and its waveform are then written to -o DIR.\n\n"
      "Example:\n"
      "  axelram verify configs/paper-d128-b3.yaml traces/byte-llama-d128.safetensors \\\n"
      "      -o mismatch --vectors 5000");
  add_config(command, &options->config);
  add_trace(command, &options->trace);
  command
      ->add_option("-o,--output", options->verify.directory,
                   "directory for the files of a mismatch; new or empty")
      ->check(file_name())
      ->type_name("DIR");
  add_seed(command, &options->verify.seed, "seed of stimulus, stalls and registers without reset");
  command
      ->add_option("--vectors", options->verify.vectors,
                   "random keys and queries, together (default " +
                       std::to_string(options->verify.vectors) + ")")
      ->check(whole_number(0, 100'000'000))
      ->type_name("N");
  command->add_flag(
      "--require-coverage", options->require_coverage,
      "fail (exit code 1) if a reachable corner was not met, with --covers also by the RTL");
  command->add_flag("--covers", options->verify.covers,
                    "also count the covers of the RTL, beside the corners of the same name");
  add_json(command, &options->json, "phases, cycles, coverage, mismatch");
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return execute(*options); }; });
}

}  // namespace axelram::cli
