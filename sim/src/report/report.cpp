#include "axelram/sim/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "axelram/sim/cells.hpp"
#include "axelram/sim/operators.hpp"
#include "axelram/sim/report_json.hpp"
#include "report_lines.hpp"

namespace axelram::sim {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string shown(const ReportLine& line) {
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

RowCells cells_of(const ReportLine& line) {
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
std::string table_of_subjects(const std::vector<ReportLine>& lines) {
  std::vector<std::vector<std::string>> rows = {{"module"}};
  const std::string first = lines.front().subject;
  for (const ReportLine& line : lines)
    if (line.subject == first)
      rows.front().push_back(
          spaced(line.name.substr(first.size() + 1)) +
          (line.unit == "cells" || line.unit == "gates" || line.unit == "instances"
               ? ""
               : ", " + line.unit));
  for (const ReportLine& line : lines) {
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

std::string report_text(const std::vector<ReportLine>& lines) {
  const RowCells head = {"figure", "value", "unit", "method", "paper", "note"};
  std::array<std::size_t, 6> widths{};
  const auto widen = [&](const RowCells& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) widths[c] = std::max(widths[c], cells[c].size());
  };
  widen(head);
  for (const ReportLine& line : lines)
    if (line.subject.empty()) widen(cells_of(line));

  std::string text = row(head, widths);
  std::string section;
  for (auto line = lines.begin(); line != lines.end();) {
    if (line->section != section) text += "\n" + line->section + "\n";
    section = line->section;
    const auto end = std::find_if(line, lines.end(), [&](const ReportLine& other) {
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

std::string report_json(const std::vector<ReportLine>& lines) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const ReportLine& line : lines) {
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

std::vector<ReportLine> report(const files::Config& config,
                               const std::optional<files::Trace>& trace, Synthesis synthesis,
                               const MappedDesign* mapped, const DecodingStep* step) {
  if (config.attention.given) return attention_report(config, trace, mapped);
  const bool gates = synthesis == Synthesis::gates;
  std::optional<Elaboration> elaboration;
  if (synthesis != Synthesis::none) elaboration.emplace(rtl::generate(config), config.name);
  std::vector<ReportLine> lines;
  add_operations(config, &lines);
  add_multiplications(config, &lines);
  add_hardware(config, &lines);
  add_trellis(config, &lines);
  add_residual(config, &lines);
  add_split(config, &lines);
  add_scale(config, &lines);
  add_exact(config, &lines);
  add_memory(config, &lines);
  add_storage(config, &lines);
  add_key_store(config, &lines);
  add_cells(mapped, &lines);
  add_cycles(config, trace, &lines);
  add_token(config, step, mapped, &lines);
  add_plain(config, &lines);
  add_gates(config, gates ? &*elaboration : nullptr, &lines);
  add_codes(config, gates, &lines);
  std::optional<Netlist> netlist;
  if (elaboration) netlist = elaboration->netlist();
  add_netlist(config, netlist ? &*netlist : nullptr, &lines);
  add_gaussian_accuracy(config, &lines);
  if (trace) add_trace_accuracy(config, *trace, &lines);
  return lines;
}

}  // namespace axelram::sim
