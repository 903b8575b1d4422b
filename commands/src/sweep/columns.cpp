#include "columns.hpp"

#include <algorithm>
#include <set>

#include "axelram/files/messages.hpp"

namespace axelram::commands::sweeps {
namespace {

/// Two keys and a query of a trace: what the accuracy on it is called does not depend on its
/// length.
std::optional<files::Trace> shortened(std::optional<files::Trace> trace) {
  if (!trace) return trace;
  const auto d = static_cast<std::size_t>(trace->head_dim);
  trace->keys.resize(std::min(trace->keys.size(), 2 * d));
  trace->queries.resize(std::min(trace->queries.size(), d));
  return trace;
}

void add_names(const files::Config& config, const std::optional<files::Trace>& trace,
               const std::vector<report::Group>& groups, std::set<std::string>* names) {
  for (const report::Line& line : report::groups(config, trace, groups, false))
    names->insert(line.name);
}

[[noreturn]] void unknown(const Spec& spec, const Named& column,
                          const std::set<std::string>& names) {
  const std::string meant = files::did_you_mean(column.text, {names.begin(), names.end()});
  spec.fail(column.line, "figure " + files::in_quotes(column.text) +
                             " is in no report of this sweep; " +
                             (meant.empty() ? "'axelram report --json' names all, and reports "
                                              "chooses their groups"
                                            : meant));
}

}  // namespace

std::vector<std::string> columns_of(const Spec& spec) {
  std::vector<std::string> columns;
  for (const Named& column : spec.columns) columns.push_back(column.text);
  if (columns.empty()) columns = default_columns(spec);
  for (const Pareto& pareto : spec.paretos)
    for (const std::string& name : {pareto.x.text, pareto.y.text})
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  return columns;
}

void check_columns(const Spec& spec, const std::vector<Candidate>& rows, const SweepTrace& trace,
                   const std::vector<std::string>& columns) {
  // Accuracy takes time, and has the same names in every configuration.
  std::vector<report::Group> counted;
  for (const report::Group group : spec.groups)
    if (group != report::Group::accuracy) counted.push_back(group);
  std::set<std::string> names;
  const auto known = [&](const std::string& name) { return names.count(name) != 0; };
  bool first = true;
  for (const Candidate& row : rows) {
    if (!row.config) continue;
    add_names(*row.config, shortened(trace.of(*row.config)), first ? spec.groups : counted, &names);
    first = false;
    if (std::all_of(columns.begin(), columns.end(), known)) return;
  }
  for (const Named& column : spec.columns)
    if (!known(column.text)) unknown(spec, column, names);
  for (const Pareto& pareto : spec.paretos)
    for (const Named& figure : {pareto.x, pareto.y})
      if (!known(figure.text)) unknown(spec, figure, names);
}

std::vector<report::Line> figures_of(const std::vector<report::Line>& lines,
                                     const std::vector<std::string>& columns) {
  std::vector<report::Line> figures;
  for (const std::string& name : columns) {
    const auto found = std::find_if(lines.begin(), lines.end(),
                                    [&](const report::Line& line) { return line.name == name; });
    if (found != lines.end()) {
      figures.push_back(*found);
      continue;
    }
    report::Line line;
    line.name = name;
    line.method = report::Method::not_available;
    line.note = "this configuration has no such figure";
    figures.push_back(line);
  }
  return figures;
}

}  // namespace axelram::commands::sweeps
