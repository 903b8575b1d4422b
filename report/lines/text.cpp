#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "axelram/report/line.hpp"
#include "axelram/report/line_json.hpp"

namespace axelram::report {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string shown(const Line& line) {
  if (const auto* whole = std::get_if<std::uint64_t>(&line.value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&line.value)) return number(*real);
  return "n/a";
}

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// Columns: name, value, unit, method, paper, note.
using RowCells = std::array<std::string, 6>;
constexpr std::array<bool, 6> kRight = {false, true, false, false, true, false};

RowCells cells_of(const Line& line) {
  return {"  " + spaced(line.name),
          shown(line),
          line.unit,
          name_of(line.method),
          line.paper ? number(*line.paper) : "-",
          line.note};
}

std::string row(const RowCells& cells, const std::array<std::size_t, 6>& widths) {
  std::string text;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::string padding(widths[c] - cells[c].size(), ' ');
    text += kRight[c] ? padding + cells[c] : cells[c] + padding;
    text += "  ";
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

/// A row for each subject and a column for each of its figures, in the order of the lines.
std::string table_of_subjects(const std::vector<Line>& lines) {
  std::vector<std::vector<std::string>> rows = {{"module"}};
  const std::string first = lines.front().subject;
  for (const Line& line : lines)
    if (line.subject == first)
      rows.front().push_back(
          spaced(line.name.substr(first.size() + 1)) +
          (line.unit == "cells" || line.unit == "gates" || line.unit == "instances"
               ? ""
               : ", " + line.unit));
  for (const Line& line : lines) {
    if (rows.size() == 1 || rows.back().front() != spaced(line.subject))
      rows.push_back({spaced(line.subject)});
    rows.back().push_back(shown(line));
  }
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& cells : rows)
    for (std::size_t c = 0; c < cells.size(); ++c) widths[c] = std::max(widths[c], cells[c].size());
  std::string text;
  for (const auto& cells : rows) {
    text += "  ";
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string padding(widths[c] - cells[c].size(), ' ');
      text += c == 0 ? cells[c] + padding : "  " + padding + cells[c];
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string text(const std::vector<Line>& lines) {
  const RowCells head = {"figure", "value", "unit", "method", "paper", "note"};
  std::array<std::size_t, 6> widths{};
  const auto widen = [&](const RowCells& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) widths[c] = std::max(widths[c], cells[c].size());
  };
  widen(head);
  for (const Line& line : lines)
    if (line.subject.empty()) widen(cells_of(line));

  std::string text = row(head, widths);
  std::string section;
  for (auto line = lines.begin(); line != lines.end();) {
    if (line->section != section) text += "\n" + line->section + "\n";
    section = line->section;
    const auto end = std::find_if(line, lines.end(), [&](const Line& other) {
      return other.section != section || other.subject.empty();
    });
    if (line == end) {
      text += row(cells_of(*line++), widths);
    } else {
      text += table_of_subjects({line, end});
      line = end;
    }
  }
  return text;
}

std::string json(const std::vector<Line>& lines) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Line& line : lines) {
    list.push_back({{"name", line.name},
                    {"value", value_json(line)},
                    {"unit", line.unit},
                    {"method", name_of(line.method)},
                    {"paper", line.paper ? Json(*line.paper) : Json()},
                    {"note", line.note}});
    if (line.provenance)
      list.back()["provenance"] = {{"tools", line.provenance->tools},
                                   {"library", line.provenance->library},
                                   {"corner", line.provenance->corner},
                                   {"rtl", line.provenance->rtl}};
  }
  return list.dump(2) + "\n";
}

}  // namespace axelram::report
