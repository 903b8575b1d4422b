#include "axelram/commands/verify.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

#include "axelram/files/atomic_file.hpp"
#include "json.hpp"
#include "outputs.hpp"

namespace axelram::commands {
namespace {

Json phase_json(const sim::VerifyPhase& phase) {
  return {{"name", phase.name},
          {"keys", phase.keys},
          {"records", phase.records},
          {"queries", phase.queries},
          {"compared", phase.compared},
          {"cycles", cycles_json(phase.cycles)},
          {"predicted", cycles_json(phase.predicted)},
          {"holds", phase.holds}};
}

Json coverage_json(const sim::CoverageBin& bin) {
  return {{"name", bin.name},           {"meaning", bin.meaning},
          {"hits", bin.hits},           {"rtl_hits", or_null(bin.rtl_hits)},
          {"reachable", bin.reachable}, {"met", bin.hit()}};
}

Json mismatch_json(const sim::Mismatch& mismatch) {
  return {{"phase", mismatch.phase},
          {"tensor", mismatch.tensor},
          {"cycle", mismatch.cycle},
          {"text", mismatch.text}};
}

}  // namespace

bool VerifyResult::covered() const {
  return std::all_of(report.coverage.begin(), report.coverage.end(),
                     std::mem_fn(&sim::CoverageBin::met));
}

VerifyResult verify(const VerifyOptions& options, const Progress& progress,
                    const Show<VerifyResult>& show) {
  const ConfigFile file = read_macro_config(options.config);
  const files::Config& config = file.config;
  std::optional<files::Trace> trace;
  if (!options.trace.empty()) trace = files::read_trace(options.trace, config);
  Outputs outputs(options.force, {options.trace});
  outputs.protect(file);
  outputs.add(options.json);
  outputs.add_directory(options.verify.directory);
  const NewDirectory directory(options.verify.directory);  // stays if a mismatch fills it

  sim::VerifyOptions verify_options = options.verify;
  verify_options.progress = lines_of(progress);
  VerifyResult result;
  result.configuration = config.name;
  result.trace = options.trace;
  result.seed = options.verify.seed;
  result.vectors = options.verify.vectors;
  result.coverage_required = options.require_coverage;
  result.covers = options.verify.covers;
  const auto start = std::chrono::steady_clock::now();
  const auto finish = [&](const sim::VerifyReport& report) {
    result.report = report;
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  verify_options.before_files = [&](const sim::VerifyReport& report) {
    finish(report);
    show_figures(show, result);
  };
  finish(sim::verify(config, rtl::generate_observed(config), trace, verify_options));
  if (result.report.dumped.empty()) show_figures(show, result);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const VerifyResult& r) {
  Json phases = Json::array();
  for (const sim::VerifyPhase& phase : r.report.phases) phases.push_back(phase_json(phase));
  Json coverage = Json::array();
  for (const sim::CoverageBin& bin : r.report.coverage) coverage.push_back(coverage_json(bin));
  return text_of({{"configuration", r.configuration},
                  {"trace", or_null(r.trace)},
                  {"seed", r.seed},
                  {"vectors", r.vectors},
                  {"seconds", r.seconds},
                  {"holds", r.report.holds()},
                  {"phases", phases},
                  {"coverage", coverage},
                  {"mismatch", r.report.mismatch ? mismatch_json(*r.report.mismatch) : Json()},
                  {"dumped", r.report.dumped}});
}

}  // namespace axelram::commands
