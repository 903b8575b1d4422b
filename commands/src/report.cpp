#include "axelram/commands/report.hpp"

#include "axelram/files/atomic_file.hpp"
#include "axelram/report/operators.hpp"
#include "outputs.hpp"

namespace axelram::commands {

ReportResult report(const ReportOptions& options, const Progress& progress,
                    const Show<ReportResult>& show) {
  const ConfigFile file = read_macro_config(options.config);
  const files::Config& config = file.config;
  const SynthesisOptions& asked = options.synthesis;
  if (asked.level() != report::Synthesis::none || asked.shape)
    files::reject_attention(config, "a report with --netlist, --synthesize or --shape");
  std::optional<files::Trace> trace;
  if (!options.trace.empty()) trace = files::read_trace(options.trace, config);
  Outputs outputs(options.force, {options.trace});
  outputs.protect(file);
  if (!options.synthesis.liberty.empty()) outputs.protect(options.synthesis.liberty);
  outputs.add(options.json);
  ReportResult result{config.name,
                      report_lines(config, trace, options.synthesis, progress),
                      options.synthesis.level(),
                      {}};
  result.disagreements = report::disagreements(result.lines);
  show_figures(show, result);
  if (!options.json.empty()) files::write_file(options.json, to_json(result), options.force);
  return result;
}

std::string to_json(const ReportResult& result) { return report::json(result.lines); }

}  // namespace axelram::commands
