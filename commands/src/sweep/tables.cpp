#include <algorithm>

#include "../json.hpp"
#include "axelram/commands/sweep.hpp"
#include "axelram/report/line_json.hpp"

namespace axelram::commands {
namespace {

/// A cell of CSV (RFC 4180).
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& text : cells) line += (line.empty() ? "" : ",") + cell(text);
  return line + "\n";
}

Json row_json(const SweepResult& result, std::size_t number) {
  const SweepRow& row = result.rows[number];
  Json settings = Json::object(), figures = Json::object(), notes = Json::object();
  for (std::size_t k = 0; k < result.keys.size(); ++k)
    settings[result.keys[k]] = or_null(row.settings[k]);
  for (std::size_t c = 0; c < row.figures.size(); ++c) {
    const Json value = report::value_json(row.figures[c]);
    figures[result.columns[c].name] = value;
    if (value.is_null()) notes[result.columns[c].name] = row.figures[c].note;
  }
  return {{"row", number + 1},           {"base", row.base},
          {"settings", settings},        {"rejected", or_null(row.reason)},
          {"point", or_null(row.point)}, {"figures", figures},
          {"not_available", notes}};
}

}  // namespace

bool SweepFront::has(std::size_t row) const {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

const report::Line* SweepResult::figure(std::size_t row, const std::string& column) const {
  const std::vector<report::Line>& figures = rows[row].figures;
  for (std::size_t c = 0; c < figures.size(); ++c)
    if (columns[c].name == column) return &figures[c];
  return nullptr;
}

std::string to_json(const SweepResult& result) {
  Json columns = Json::array(), rows = Json::array(), fronts = Json::array();
  for (const SweepColumn& column : result.columns)
    columns.push_back({{"name", column.name}, {"unit", column.unit}});
  for (std::size_t i = 0; i < result.rows.size(); ++i) rows.push_back(row_json(result, i));
  for (const SweepFront& front : result.fronts) {
    Json numbers = Json::array();
    for (const std::size_t row : front.rows) numbers.push_back(row + 1);
    fronts.push_back({{"x", front.x},
                      {"x_best", front.x_highest ? "highest" : "lowest"},
                      {"y", front.y},
                      {"y_best", front.y_highest ? "highest" : "lowest"},
                      {"rows", numbers},
                      {"plot", or_null(front.plot)}});
  }
  return text_of({{"axelram_sweep", result.name},
                  {"version", result.version},
                  {"commit", result.commit},
                  {"trace", or_null(result.trace)},
                  {"keys", result.keys},
                  {"columns", columns},
                  {"rows", rows},
                  {"fronts", fronts}});
}

std::string to_csv(const SweepResult& result) {
  std::vector<std::string> head = {"row", "base"};
  head.insert(head.end(), result.keys.begin(), result.keys.end());
  for (const SweepColumn& column : result.columns) head.push_back(column.name);
  for (std::size_t f = 0; f < result.fronts.size(); ++f)
    head.push_back("front_" + std::to_string(f + 1));
  head.emplace_back("rejected");
  std::string text = line_of(head);
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const SweepRow& row = result.rows[i];
    std::vector<std::string> cells = {std::to_string(i + 1), row.base};
    for (const auto& setting : row.settings) cells.push_back(setting.value_or(""));
    for (std::size_t c = 0; c < result.columns.size(); ++c) {
      const Json value = row.figures.empty() ? Json() : report::value_json(row.figures[c]);
      cells.push_back(!value.is_null() ? value.dump() : row.figures.empty() ? "" : "n/a");
    }
    for (const SweepFront& front : result.fronts)
      cells.emplace_back(!row.reason.empty() ? "" : front.has(i) ? "1" : "0");
    cells.push_back(row.reason);
    text += line_of(cells);
  }
  return text;
}

}  // namespace axelram::commands
