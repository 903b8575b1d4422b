#include "axelram/sim/report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

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
using Cells = std::array<std::string, 6>;
constexpr std::array<bool, 6> kRight = {false, true, false, false, true, false};

Cells cells_of(const ReportLine& line) {
  return {"  " + spaced(line.name),
          shown(line),
          line.unit,
          name_of(line.method),
          line.paper ? number(*line.paper) : "-",
          line.note};
}

std::string row(const Cells& cells, const std::array<std::size_t, 6>& widths) {
  std::string text;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::string padding(widths[c] - cells[c].size(), ' ');
    text += kRight[c] ? padding + cells[c] : cells[c] + padding;
    text += "  ";
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

}  // namespace

std::string report_text(const std::vector<ReportLine>& lines) {
  const Cells head = {"figure", "value", "unit", "method", "paper", "note"};
  std::array<std::size_t, 6> widths{};
  const auto widen = [&](const Cells& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) widths[c] = std::max(widths[c], cells[c].size());
  };
  widen(head);
  for (const ReportLine& line : lines) widen(cells_of(line));

  std::string text = row(head, widths);
  std::string section;
  for (const ReportLine& line : lines) {
    if (line.section != section) text += "\n" + line.section + "\n";
    section = line.section;
    text += row(cells_of(line), widths);
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
  }
  return list.dump(2) + "\n";
}

std::vector<ReportLine> report(const files::Config& config,
                               const std::optional<files::Trace>& trace, Synthesis synthesis) {
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
  add_cycles(config, trace, &lines);
  add_plain(config, &lines);
  add_gates(config, gates ? &*elaboration : nullptr, &lines);
  add_codes(config, gates, &lines);
  std::optional<Netlist> netlist;
  if (elaboration) netlist = elaboration->netlist();
  add_netlist(config, netlist ? &*netlist : nullptr, &lines);
  add_gaussian_accuracy(config, &lines);
  if (trace) add_trace_accuracy(config, *trace, &lines);
  Section(&lines, "area").missing("area", "um^2", "known only after synthesis with a cell library");
  return lines;
}

}  // namespace axelram::sim
