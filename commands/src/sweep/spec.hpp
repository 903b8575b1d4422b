#pragma once

#include <string>
#include <vector>

#include "axelram/files/config.hpp"
#include "axelram/files/document_tree.hpp"
#include "axelram/report/report.hpp"

namespace axelram::commands::sweeps {

/// A name in the sweep and its line.
struct Named {
  std::string text;
  int line = 0;
};

struct Axis {
  std::string section, key;
  std::vector<files::DocumentNode> values;
};

/// Two figures of which a plot shows the front.
struct Pareto {
  Named x, y;
  bool x_highest = false, y_highest = false;
  bool x_log = false, y_log = false;
  Named series;  ///< a varied key that groups the points; empty: one group
};

/// A sweep as its file states it, with all names checked that need no configuration.
struct Spec {
  std::string origin;  ///< of messages
  std::string folder;  ///< where its file names start
  std::vector<Named> bases;
  std::vector<Axis> grid;
  std::vector<std::vector<files::ConfigOverride>> list;
  std::vector<report::Group> groups;  ///< in the order of the enum
  Named trace;                        ///< empty: none
  std::vector<Named> columns;         ///< empty: those of default_columns()
  std::vector<Pareto> paretos;

  bool has(report::Group group) const;
  /// "section.key" of each varied key, in the order of the file.
  std::vector<std::string> keys() const;
  /// Throws InputError: "FILE:LINE: what".
  [[noreturn]] void fail(int line, const std::string& what) const {
    files::fail_at(origin, line, what);
  }
};

/// Throws files::InputError with the line for a name, a list or a key that is not that of a sweep,
/// and for more than kMaxSweepRows rows.
Spec parse_spec(const std::string& text, const std::string& origin, const std::string& folder);
Spec read_spec(const std::string& path);

/// Figures of the groups that a table shows if the sweep names none.
std::vector<std::string> default_columns(const Spec& spec);

}  // namespace axelram::commands::sweeps
