#include "pareto.hpp"

#include <algorithm>
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

std::string text_of_row(std::size_t row) { return std::to_string(row + 1); }

/// Value of a key in a row; "" if there is no such key.
std::string setting_of_row(const SweepResult& result, const SweepRow& row, const std::string& key) {
  const auto found = std::find(result.keys.begin(), result.keys.end(), key);
  if (found == result.keys.end()) return "";
  return row.settings[static_cast<std::size_t>(found - result.keys.begin())];
}

Plot::Series& series_named(Plot* plot, const std::string& name) {
  const auto same = [&](const Plot::Series& series) { return series.name == name; };
  const auto found = std::find_if(plot->series.begin(), plot->series.end(), same);
  if (found != plot->series.end()) return *found;
  return plot->series.emplace_back(Plot::Series{name});
}

}  // namespace

std::optional<double> number_of(const SweepResult& result, const SweepRow& row,
                                const std::string& column) {
  for (std::size_t c = 0; c < row.figures.size(); ++c) {
    if (result.columns[c].name != column) continue;
    const auto& value = row.figures[c].value;
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
  }
  return std::nullopt;
}

std::vector<std::size_t> front_rows(const SweepResult& result, const Pareto& pareto) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const auto x = number_of(result, result.rows[i], pareto.x.text);
    const auto y = number_of(result, result.rows[i], pareto.y.text);
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
  const auto scale = [](bool log) { return log ? Plot::Scale::log : Plot::Scale::linear; };
  const auto best = [](bool highest) { return highest ? "highest" : "lowest"; };
  Plot plot;
  plot.title = result.name;
  plot.x = {label_of(result, front.x), scale(pareto.x_log)};
  plot.y = {label_of(result, front.y), scale(pareto.y_log)};
  plot.notes = {
      std::string("best: ") + best(front.x_highest) + " x, " + best(front.y_highest) + " y",
      "numbers: rows of the table"};
  // A series for each value of a key first, so that its colours do not depend on the front.
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const SweepRow& row = result.rows[i];
    const auto x = number_of(result, row, front.x), y = number_of(result, row, front.y);
    if (!x || !y) continue;
    const std::string value = setting_of_row(result, row, pareto.series.text);
    const std::string name =
        pareto.series.text.empty() ? "configurations" : pareto.series.text + " " + value;
    const bool best_row = std::find(front.rows.begin(), front.rows.end(), i) != front.rows.end();
    series_named(&plot, name)
        .points.push_back(
            {*x, *y, faults::Interval::none(), best_row ? text_of_row(i) : std::string()});
  }
  // Steps: between two rows of the front, no row is better than the one with the better x.
  Plot::Series line{"front"};
  for (const std::size_t row : front.rows) {
    const double x = *number_of(result, result.rows[row], front.x);
    if (!line.line.empty()) line.line.emplace_back(x, line.line.back().second);
    line.line.emplace_back(x, *number_of(result, result.rows[row], front.y));
  }
  plot.series.push_back(std::move(line));
  return plot;
}

}  // namespace axelram::commands::sweeps
