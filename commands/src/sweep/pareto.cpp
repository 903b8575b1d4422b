#include "pareto.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace axelram::commands::sweeps {
namespace {

/// A row where less is better in both.
struct Place {
  double x, y;
  std::size_t row;
};

std::string label_of(const SweepResult& result, const std::string& column) {
  for (const SweepColumn& one : result.columns)
    if (one.name == column) return column + (one.unit.empty() ? "" : " (" + one.unit + ")");
  return column;
}

std::size_t place_of(const std::vector<std::string>& keys, const std::string& key) {
  return static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
}

/// A figure of a row as a number, or nothing if it is n/a or the row is rejected.
std::optional<double> number_of(const SweepResult& result, std::size_t row,
                                const std::string& column) {
  const report::Line* const line = result.figure(row, column);
  if (line == nullptr) return std::nullopt;
  if (const auto* whole = std::get_if<std::uint64_t>(&line->value))
    return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&line->value)) return *real;
  return std::nullopt;
}

std::string text_of_row(std::size_t row) { return std::to_string(row + 1); }

Plot::Series& series_named(Plot* plot, const std::string& name) {
  const auto same = [&](const Plot::Series& series) { return series.name == name; };
  const auto found = std::find_if(plot->series.begin(), plot->series.end(), same);
  if (found != plot->series.end()) return *found;
  return plot->series.emplace_back(Plot::Series{name});
}

/// An axis of both, "x" and "y". A logarithmic one would leave out rows whose figure is not above
/// 0.
Plot::Axis axis_of(const SweepResult& result, const SweepFront& front, bool log,
                   const std::string& axis, Plot* plot) {
  const std::string& column = axis == "x" ? front.x : front.y;
  for (std::size_t i = 0; log && i < result.rows.size(); ++i) {
    if (!number_of(result, i, front.x) || !number_of(result, i, front.y)) continue;
    if (*number_of(result, i, column) > 0) continue;
    plot->notes.push_back(axis + " is linear, not log: row " + text_of_row(i) + " is not above 0");
    log = false;
  }
  return {label_of(result, column), log ? Plot::Scale::log : Plot::Scale::linear};
}

/// Labels of the rows of a front. Rows at one place have one, at the first of them.
std::map<std::size_t, std::string> labels_of(const SweepResult& result, const SweepFront& front) {
  const auto place = [&](std::size_t row) {
    return std::pair(number_of(result, row, front.x), number_of(result, row, front.y));
  };
  std::map<std::size_t, std::string> labels;
  for (auto row = front.rows.begin(); row != front.rows.end();) {
    const auto end = std::find_if(row, front.rows.end(),
                                  [&](std::size_t other) { return place(other) != place(*row); });
    labels[*row] = text_of_row(*row);
    if (end - row > 1) labels[*row] += " and " + std::to_string(end - row - 1) + " more";
    row = end;
  }
  return labels;
}

}  // namespace

void check_series(const Spec& spec, const std::vector<Candidate>& rows) {
  constexpr std::size_t kMost = 12;
  for (const Pareto& pareto : spec.paretos) {
    if (pareto.series.text.empty()) continue;
    const std::size_t key = place_of(spec.keys(), pareto.series.text);
    std::set<std::string> values;
    for (const Candidate& row : rows)
      if (row.config) values.insert(row.settings[key].value_or(""));
    if (values.size() > kMost)
      spec.fail(pareto.series.line, "series " + pareto.series.text + " has " +
                                        std::to_string(values.size()) +
                                        " values; name a key with at most " +
                                        std::to_string(kMost) + ", or leave it out");
  }
}

std::vector<std::size_t> front_rows(const SweepResult& result, const Pareto& pareto) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const auto x = number_of(result, i, pareto.x.text);
    const auto y = number_of(result, i, pareto.y.text);
    if (x && y) places.push_back({pareto.x_highest ? -*x : *x, pareto.y_highest ? -*y : *y, i});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tie(a.x, a.y, a.row) < std::tie(b.x, b.y, b.row);
  });
  std::vector<std::size_t> front;
  const Place* last = nullptr;  // of the front
  for (const Place& place : places) {
    const bool equal = last != nullptr && last->x == place.x && last->y == place.y;
    if (last != nullptr && place.y >= last->y && !equal) continue;
    front.push_back(place.row);
    last = &place;
  }
  return front;
}

Plot pareto_plot(const SweepResult& result, const SweepFront& front, const Pareto& pareto) {
  const auto best = [](bool highest) { return highest ? "highest" : "lowest"; };
  Plot plot;
  plot.title = result.name;
  plot.notes = {
      std::string("best: ") + best(front.x_highest) + " x, " + best(front.y_highest) + " y",
      "numbers: rows of the table"};
  plot.x = axis_of(result, front, pareto.x_log, "x", &plot);
  plot.y = axis_of(result, front, pareto.y_log, "y", &plot);
  const std::size_t key = place_of(result.keys, pareto.series.text);
  const std::map<std::size_t, std::string> labels = labels_of(result, front);
  // A series for each value of a key first, so that its colours do not depend on the front.
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const auto x = number_of(result, i, front.x), y = number_of(result, i, front.y);
    if (!x || !y) continue;
    const std::string name =
        pareto.series.text.empty()
            ? "configurations"
            : pareto.series.text + " " + result.rows[i].settings[key].value_or("");
    const auto label = labels.find(i);
    series_named(&plot, name)
        .points.push_back({*x, *y, faults::Interval::none(),
                           label == labels.end() ? std::string() : label->second});
  }
  // Steps: between two rows of the front, no row is better than the one with the better x.
  Plot::Series line{"front"};
  for (const std::size_t row : front.rows) {
    const double x = *number_of(result, row, front.x);
    if (!line.line.empty()) line.line.emplace_back(x, line.line.back().second);
    line.line.emplace_back(x, *number_of(result, row, front.y));
  }
  plot.series.push_back(std::move(line));
  return plot;
}

}  // namespace axelram::commands::sweeps
