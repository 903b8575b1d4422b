#include "axelram/sim/verify.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "axelram/files/atomic_file.hpp"
#include "commands.hpp"
#include "cycles_json.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "text.hpp"

namespace axelram::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string config;
  std::string trace;
  std::string json;
  bool force = false;
  sim::VerifyOptions verify;
  bool require_coverage = false;
};

Json phase_json(const sim::VerifyPhase& phase) {
  return {{"name", phase.name},
          {"keys", phase.keys},
          {"queries", phase.queries},
          {"compared", phase.compared},
          {"cycles", cycles_json(phase.cycles)},
          {"predicted", phase.predicted ? cycles_json(*phase.predicted) : Json()},
          {"holds", phase.holds}};
}

Json coverage_json(const sim::CoverageBin& bin) {
  return {{"name", bin.name},
          {"meaning", bin.meaning},
          {"hits", bin.hits},
          {"reachable", bin.reachable},
          {"met", bin.hits > 0}};
}

Json mismatch_json(const sim::Mismatch& mismatch) {
  return {{"phase", mismatch.phase},
          {"tensor", mismatch.tensor},
          {"cycle", mismatch.cycle},
          {"text", mismatch.text}};
}

std::string json_text(const Options& options, const files::Config& config,
                      const sim::VerifyReport& report, double seconds) {
  Json phases = Json::array();
  for (const sim::VerifyPhase& phase : report.phases) phases.push_back(phase_json(phase));
  Json coverage = Json::array();
  for (const sim::CoverageBin& bin : report.coverage) coverage.push_back(coverage_json(bin));
  const Json json = {{"configuration", config.name},
                     {"trace", options.trace.empty() ? Json() : Json(options.trace)},
                     {"seed", options.verify.seed},
                     {"vectors", options.verify.vectors},
                     {"seconds", seconds},
                     {"holds", report.holds()},
                     {"phases", phases},
                     {"coverage", coverage},
                     {"mismatch", report.mismatch ? mismatch_json(*report.mismatch) : Json()},
                     {"dumped", report.dumped}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string phases_text(const std::vector<sim::VerifyPhase>& phases) {
  std::vector<std::vector<std::string>> rows = {
      {"phase", "keys", "queries", "compared", "cycles", "predicted", ""}};
  for (const sim::VerifyPhase& phase : phases)
    rows.push_back({phase.name, std::to_string(phase.keys), std::to_string(phase.queries),
                    std::to_string(phase.compared), std::to_string(phase.cycles.total),
                    phase.predicted ? std::to_string(phase.predicted->total) : "-",
                    phase.holds ? "holds" : "DOES NOT HOLD"});
  return table(rows);
}

/// The corners met with their hits; then those that should have been met; then those out of reach.
std::string coverage_text(const std::vector<sim::CoverageBin>& coverage) {
  std::vector<std::vector<std::string>> met;
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

void print(const files::Config& config, const sim::VerifyReport& report) {
  std::cout << "configuration " << config.name << "\n\n"
            << phases_text(report.phases) << "\n"
            << coverage_text(report.coverage) << "\n";
  if (report.mismatch)
    std::cout << "first mismatch: phase " << report.mismatch->phase << ", cycle "
              << report.mismatch->cycle << ", " << report.mismatch->tensor << ": "
              << report.mismatch->text << "\n";
  for (const std::string& file : report.dumped) std::cout << "dumped: " << file << "\n";
  std::cout << "RTL equals golden: " << (report.holds() ? "holds" : "DOES NOT HOLD") << "\n";
}

int verify(const Options& options) {
  const files::Config config = files::read_config(options.config);
  std::optional<files::Trace> trace;
  if (!options.trace.empty())
    trace = files::read_trace(options.trace, config.parameters, config.max_keys);
  Outputs outputs(options.force, {options.config, options.trace});
  outputs.protect(config, options.config);
  outputs.add(options.json);
  if (!options.verify.directory.empty()) check_folder(options.verify.directory, options.force);

  Progress progress;
  sim::VerifyOptions verify_options = options.verify;
  verify_options.progress = [&](const std::string& line) { progress.show(line); };
  const auto start = std::chrono::steady_clock::now();
  const sim::VerifyReport report =
      sim::verify(config, rtl::generate(config), trace, verify_options);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  progress.clear();

  if (!options.json.empty())
    files::write_file(options.json, json_text(options, config, report, seconds.count()),
                      options.force);
  print(config, report);
  const bool covered = std::all_of(report.coverage.begin(), report.coverage.end(),
                                   std::mem_fn(&sim::CoverageBin::met));
  if (options.require_coverage && !covered) std::cout << "coverage required: DOES NOT HOLD\n";
  return report.holds() && (covered || !options.require_coverage) ? 0 : 1;
}

}  // namespace

void add_verify(CLI::App* app, Action* action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app->add_subcommand(
      "verify", "compare the RTL with the golden model, value by value and cycle by cycle");
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
                   "folder for the files of a mismatch; empty or not there")
      ->check(file_name())
      ->type_name("DIR");
  add_seed(command, &options->verify.seed, "seed of stimulus, stalls and registers without reset");
  command
      ->add_option("--vectors", options->verify.vectors,
                   "random keys and queries, together (default " +
                       std::to_string(options->verify.vectors) + ")")
      ->check(whole_number(0, 100'000'000))
      ->type_name("N");
  command->add_flag("--require-coverage", options->require_coverage,
                    "fail (exit code 1) where a corner that can be met was not");
  add_json(command, &options->json, "phases, cycles, coverage, mismatch");
  add_force(command, &options->force);
  command->callback([=] { *action = [=] { return verify(*options); }; });
}

}  // namespace axelram::cli
