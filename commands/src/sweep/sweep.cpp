#include "axelram/commands/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>

#include "../version.hpp"
#include "axelram/commands/model.hpp"
#include "axelram/faults/parallel.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/messages.hpp"
#include "columns.hpp"
#include "folder.hpp"
#include "pareto.hpp"

namespace axelram::commands {
namespace {

using namespace sweeps;

/// A sweep as it is read, the same in every process.
struct Plan {
  explicit Plan(const SweepOptions& options)
      : spec(read_spec(options.spec)),
        bases(read_bases(spec)),
        trace(spec),
        rows(candidates(spec, bases, trace)),
        columns(columns_of(spec)) {
    context.groups = spec.groups;
    context.trace = trace.sha256();
    if (spec.has(sim::ReportGroup::unit_gates) || spec.has(sim::ReportGroup::code_gates))
      context.yosys = sim::yosys_version().value_or("");
    for (const Candidate& row : rows)
      keys.push_back(row.config ? key_of_point(*row.config, context) : "");
    check_columns(spec, rows, trace, columns);
  }

  Spec spec;
  std::vector<Base> bases;
  SweepTrace trace;
  std::vector<Candidate> rows;
  std::vector<std::string> columns;
  PointContext context;
  std::vector<std::string> keys;  ///< of the rows; empty: rejected
};

/// Rows whose points are missing, one for each point.
std::vector<std::size_t> missing_rows(const Plan& plan, const PointFiles& points) {
  std::set<std::string> seen = {""};
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < plan.keys.size(); ++i)
    if (seen.insert(plan.keys[i]).second && !points.has(plan.keys[i])) missing.push_back(i);
  return missing;
}

std::size_t distinct_points(const Plan& plan) {
  std::set<std::string> keys(plan.keys.begin(), plan.keys.end());
  keys.erase("");
  return keys.size();
}

void evaluate(const Plan& plan, const PointFiles& points, std::size_t row) {
  const files::Config& config = *plan.rows[row].config;
  points.write(plan.keys[row], config, plan.context,
               sim::report_groups(config, plan.trace.of(config), plan.context.groups,
                                  !plan.context.yosys.empty()));
}

/// Evaluates the share of this process: every count()th point.
void evaluate_share(const Plan& plan, const PointFiles& points,
                    const std::vector<std::size_t>& missing, const SweepOptions& options,
                    const faults::Processes& processes, const Progress& progress) {
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < missing.size(); ++i)
    if (i % static_cast<std::size_t>(processes.count()) ==
        static_cast<std::size_t>(processes.rank()))
      own.push_back(missing[i]);
  std::atomic<std::uint64_t> done{0};
  const auto tell_done = [&] {
    if (processes.first()) tell(progress, {"points", done, own.size(), ""});
  };
  faults::in_parallel(thread_count(options.threads), own.size(),
                      [&](std::uint64_t i, std::size_t worker) {
                        evaluate(plan, points, own[i]);
                        ++done;
                        if (worker == 0) tell_done();
                      });
}

SweepRow row_of(const Plan& plan, std::size_t i, const PointFiles& points) {
  const Candidate& candidate = plan.rows[i];
  SweepRow row{candidate.base, candidate.settings, candidate.reason, plan.keys[i], {}};
  if (row.point.empty()) return row;
  if (!points.has(row.point))
    throw files::EnvironmentError(files::printable(points.path(row.point)) +
                                  ": written by another process, but not here; name a folder on a "
                                  "file system that all processes share");
  row.figures = figures_of(points.read(row.point), plan.columns);
  return row;
}

SweepResult result_of(const Plan& plan, const SweepOptions& options, const PointFiles& points) {
  SweepResult result;
  result.name = std::filesystem::path(options.spec).filename().string();
  result.version = kVersion;
  result.commit = kCommit;
  if (plan.trace.given())
    result.trace = plan.spec.trace.text + " (sha256 " + plan.trace.sha256() + ")";
  result.keys = plan.spec.keys();
  for (std::size_t i = 0; i < plan.rows.size(); ++i) result.rows.push_back(row_of(plan, i, points));
  for (const std::string& name : plan.columns) result.columns.push_back({name, ""});
  for (const SweepRow& row : result.rows)
    for (std::size_t c = 0; c < row.figures.size(); ++c)
      if (result.columns[c].unit.empty()) result.columns[c].unit = row.figures[c].unit;
  for (std::size_t f = 0; f < plan.spec.paretos.size(); ++f) {
    const Pareto& pareto = plan.spec.paretos[f];
    result.fronts.push_back({pareto.x.text, pareto.y.text, pareto.x_highest, pareto.y_highest,
                             front_rows(result, pareto),
                             options.plots == "none" ? "" : plot_name(f, options.plots)});
  }
  return result;
}

void write_plots(const Plan& plan, const SweepResult& result, const SweepFolder& folder) {
  for (std::size_t f = 0; f < result.fronts.size(); ++f)
    if (!result.fronts[f].plot.empty())
      write_plot(folder.at(result.fronts[f].plot),
                 pareto_plot(result, result.fronts[f], plan.spec.paretos[f]), true,
                 "give --plots json or none; the tables are written");
}

}  // namespace

SweepResult sweep(const SweepOptions& options, const faults::Processes& processes,
                  const Progress& progress, const Show<SweepResult>& show) {
  std::optional<Plan> plan;
  const SweepFolder folder(options.folder);
  processes.together([&] {
    plan.emplace(options);
    std::vector<std::string> outputs = {"sweep.json", "sweep.csv"};
    for (std::size_t f = 0; f < plan->spec.paretos.size(); ++f)
      if (options.plots != "none") outputs.push_back(plot_name(f, options.plots));
    Outputs protect(options.force, {options.spec, plan->trace.path()});
    for (const Base& base : plan->bases) protect.protect(base.file);
    for (const std::string& file : files_of(plan->spec)) protect.protect(file);
    for (const std::string& name : outputs) protect.claim(folder.at(name));
    folder.check(options.force);
  });
  const PointFiles points(options.folder);
  processes.together([&] {
    if (!processes.first()) return;
    folder.create();
    points.clean();
  });
  std::vector<std::size_t> missing;
  processes.together([&] { missing = missing_rows(*plan, points); });
  processes.together([&] { evaluate_share(*plan, points, missing, options, processes, progress); });
  if (!processes.first()) return {};

  SweepResult result = result_of(*plan, options, points);
  result.evaluated = missing.size();
  result.found = distinct_points(*plan) - missing.size();
  show_figures(show, result);
  folder.remove_old_plots(result);
  files::write_file(folder.at("sweep.json"), to_json(result), true);
  files::write_file(folder.at("sweep.csv"), to_csv(result), true);
  write_plots(*plan, result, folder);
  return result;
}

}  // namespace axelram::commands
