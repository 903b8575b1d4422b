#include "axelram/commands/sweep.hpp"

#include <filesystem>
#include <map>
#include <mutex>

#include "axelram/commands/model.hpp"
#include "axelram/commands/version.hpp"
#include "axelram/faults/parallel.hpp"
#include "axelram/files/atomic_file.hpp"
#include "axelram/files/messages.hpp"
#include "columns.hpp"
#include "folder.hpp"
#include "pareto.hpp"
#include "point_files.hpp"

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
    if (spec.has(report::Group::unit_gates) || spec.has(report::Group::code_gates))
      context.yosys = report::yosys_version().value_or("");
    for (const Candidate& row : rows)
      keys.push_back(row.config ? key_of_point(*row.config, context) : "");
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (!keys[i].empty()) points.emplace(keys[i], i);
    check_columns(spec, rows, trace, columns);
    check_series(spec, rows);
  }

  Spec spec;
  std::vector<Base> bases;
  SweepTrace trace;
  std::vector<Candidate> rows;
  std::vector<std::string> columns;
  PointContext context;
  std::vector<std::string> keys;              ///< of the rows; empty: rejected
  std::map<std::string, std::size_t> points;  ///< a row for each key
};

[[noreturn]] void not_shared(const std::string& path) {
  throw files::EnvironmentError(files::printable(path) +
                                ": left to another process, but not here; name a folder on a file "
                                "system that all processes share, and give all the same program "
                                "and Yosys");
}

/// Points that the folder does not have.
struct Missing {
  std::size_t all = 0;
  std::vector<std::size_t> own;  ///< rows of those in the share of this process
};

/// Every count()th point of all, by key, is the share of a process: it depends on nothing that
/// another process might see otherwise, such as the state of the folder.
Missing missing_points(const Plan& plan, const PointFiles& points,
                       const faults::Processes& processes) {
  std::error_code error;
  if (!std::filesystem::is_directory(points.folder(), error)) not_shared(points.folder());
  Missing missing;
  int turn = 0;
  for (const auto& [key, row] : plan.points) {
    const bool own = turn == processes.rank();
    turn = (turn + 1) % processes.count();
    if (points.has(key)) continue;
    ++missing.all;
    if (own) missing.own.push_back(row);
  }
  return missing;
}

void evaluate(const Plan& plan, const PointFiles& points, std::size_t row) {
  const files::Config& config = *plan.rows[row].config;
  points.write(plan.keys[row], config, plan.context,
               report::groups(config, plan.trace.of(config), plan.context.groups,
                              !plan.context.yosys.empty()));
}

void evaluate(const Plan& plan, const PointFiles& points, const std::vector<std::size_t>& rows,
              const SweepOptions& options, const Progress& progress) {
  std::mutex mutex;
  std::uint64_t done = 0;
  const auto tell_one = [&] {
    const std::lock_guard lock(mutex);
    tell(progress, {"points", ++done, rows.size(), ""});
  };
  faults::in_parallel(thread_count(options.threads), rows.size(),
                      [&](std::uint64_t i, std::size_t) {
                        evaluate(plan, points, rows[i]);
                        tell_one();
                      });
}

SweepRow row_of(const Plan& plan, std::size_t i, const PointFiles& points) {
  const Candidate& candidate = plan.rows[i];
  SweepRow row{candidate.base, candidate.settings, candidate.reason, plan.keys[i], {}};
  if (row.point.empty()) return row;
  const auto lines = points.read(row.point);
  if (!lines) not_shared(points.path(row.point));
  row.figures = figures_of(*lines, plan.columns);
  return row;
}

SweepResult result_of(const Plan& plan, const SweepOptions& options, const SweepFolder& folder,
                      const PointFiles& points) {
  SweepResult result;
  result.name = folder.name();
  result.stem = folder.stem();
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
                             options.plots == "none" ? "" : folder.plot(f, options.plots)});
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
  const SweepFolder folder(options.folder, options.spec);
  processes.together([&] {
    plan.emplace(options);
    std::vector<std::string> outputs = {folder.table("json"), folder.table("csv")};
    for (std::size_t f = 0; f < plan->spec.paretos.size(); ++f)
      if (options.plots != "none") outputs.push_back(folder.plot(f, options.plots));
    Outputs protect(options.force, {options.spec, plan->trace.path()});
    for (const Base& base : plan->bases) protect.protect(base.file);
    for (const std::string& file : files_of(plan->spec)) protect.protect(file);
    for (const std::string& name : outputs) protect.claim(folder.at(name));
    folder.check(outputs, options.force);
  });
  const PointFiles points(options.folder);
  processes.together([&] {
    if (!processes.first()) return;
    folder.create();
    folder.clean();
  });
  Missing missing;
  processes.together([&] { missing = missing_points(*plan, points, processes); });
  processes.together([&] {
    evaluate(*plan, points, missing.own, options, processes.first() ? progress : Progress());
  });
  if (!processes.first()) return {};

  SweepResult result = result_of(*plan, options, folder, points);
  result.evaluated = missing.all;
  result.found = plan->points.size() - missing.all;
  show_figures(show, result);
  folder.remove_old_plots(result);
  files::write_file(folder.at(folder.table("json")), to_json(result), true);
  files::write_file(folder.at(folder.table("csv")), to_csv(result), true);
  write_plots(*plan, result, folder);
  return result;
}

}  // namespace axelram::commands
