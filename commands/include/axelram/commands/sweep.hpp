#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axelram/commands/progress.hpp"
#include "axelram/faults/processes.hpp"
#include "axelram/report/report.hpp"

namespace axelram::commands {

struct SweepOptions {
  std::string spec;           ///< the sweep, YAML or JSON (docs/sweeps.md)
  std::string folder;         ///< receives points, tables and plots
  std::string plots = "svg";  ///< their ending: svg, png, pdf or json; none: no plots
  std::uint64_t threads = 0;  ///< 0: one for each core
  bool force = false;         ///< writes over files of others
};

/// Rows of a sweep, at most.
constexpr std::uint64_t kMaxSweepRows = 10'000;

struct SweepColumn {
  std::string name, unit;
};

/// One configuration of a sweep.
struct SweepRow {
  std::string base;  ///< as the sweep names it
  /// For each varied key its value; nothing if the row is rejected and does not set it.
  std::vector<std::optional<std::string>> settings;
  std::string reason;                 ///< why the configuration is rejected; empty: it is not
  std::string point;                  ///< name of its point: a digest; empty: rejected
  std::vector<report::Line> figures;  ///< one for each column; empty: rejected
};

/// The rows that no other row beats in both figures.
struct SweepFront {
  std::string x, y;
  bool x_highest = false, y_highest = false;  ///< which end is better
  std::vector<std::size_t> rows;              ///< from 0, the best x first
  std::string plot;                           ///< file in the folder; empty: none

  bool has(std::size_t row) const;
};

struct SweepResult {
  std::string name;  ///< of the file, without its folder
  std::string stem;  ///< `name` without its ending, with which names of tables and plots begin
  std::string version, commit;
  std::string trace;              ///< as the sweep names it, with its digest; empty: none
  std::vector<std::string> keys;  ///< that vary: "section.key"
  std::vector<SweepColumn> columns;
  std::vector<SweepRow> rows;
  std::vector<SweepFront> fronts;
  std::size_t evaluated = 0, found = 0;  ///< points of this run, and those that were there

  /// A figure of a row; null if the row is rejected or no column has this name.
  const report::Line* figure(std::size_t row, const std::string& column) const;
};

/// Evaluates the configurations of a sweep that the folder has no point of, on all `processes`, and
/// writes its tables and plots on the first. The files do not depend on threads, on processes, or
/// on which points were there. A process that is not the first returns no rows. Throws
/// files::EnvironmentError, after the tables are written, if the plots cannot be drawn.
SweepResult sweep(const SweepOptions& options, const faults::Processes& processes,
                  const Progress& progress = {}, const Show<SweepResult>& show = {});

std::string to_json(const SweepResult& result);
std::string to_csv(const SweepResult& result);

}  // namespace axelram::commands
