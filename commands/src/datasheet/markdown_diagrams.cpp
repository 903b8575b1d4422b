#include "markdown_diagrams.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "sections.hpp"

namespace axelram::commands::sheet {
namespace {

std::string block_name(const BlockDiagram& diagram, const std::string& id) {
  for (const Block& block : diagram.blocks)
    if (block.id == id) return block.name;
  return id;
}

/// Cycles in which a signal begins or ends to have a value, and those before and behind.
std::set<std::uint64_t> shown_cycles(const sim::TimingDiagram& diagram) {
  std::set<std::uint64_t> cycles = {0, diagram.cycles - 1};
  for (const sim::Signal& signal : diagram.signals)
    for (const sim::Span& span : signal.spans) {
      cycles.insert({span.first, span.last, std::min(span.last + 1, diagram.cycles - 1)});
      if (span.first > 0) cycles.insert(span.first - 1);
    }
  return cycles;
}

std::string value_at(const sim::Signal& signal, std::uint64_t cycle) {
  for (const sim::Span& span : signal.spans)
    if (span.first <= cycle && cycle <= span.last) return span.value;
  return signal.bit ? "0" : "-";
}

std::string share_text(double value, double whole) {
  return whole > 0 ? number_text(100 * value / whole) + " %" : "";
}

}  // namespace

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& one : cells) text += " " + cell(one) + " |";
  return text + "\n";
}

std::string markdown_of(const BlockDiagram& diagram) {
  std::string text = "| from | to | carries |\n|---|---|---|\n";
  for (const Link& link : diagram.links)
    text += markdown_row({block_name(diagram, link.from), block_name(diagram, link.to),
                          link.flow == Link::Flow::constant ? "constants" : link.label});
  return text;
}

std::string markdown_of(const sim::TimingDiagram& diagram) {
  const std::set<std::uint64_t> cycles = shown_cycles(diagram);
  std::vector<std::vector<std::string>> columns = {{"cycle"}};
  for (const sim::Signal& signal : diagram.signals) columns[0].push_back(signal.name);
  std::uint64_t expected = 0;
  for (const std::uint64_t cycle : cycles) {
    if (cycle != expected) {
      columns.push_back({"..."});
      columns.back().resize(diagram.signals.size() + 1);
    }
    expected = cycle + 1;
    columns.push_back({std::to_string(cycle)});
    for (const sim::Signal& signal : diagram.signals)
      columns.back().push_back(value_at(signal, cycle));
  }
  std::string text = "```\n";
  for (std::size_t row = 0; row < columns[0].size(); ++row) {
    std::string line;
    for (const std::vector<std::string>& column : columns) {
      std::size_t width = 0;
      for (const std::string& one : column) width = std::max(width, one.size());
      const std::string padding(width - column[row].size(), ' ');
      line += &column == &columns[0] ? column[row] + padding : "  " + padding + column[row];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  text += "```\n";
  for (const sim::Period& period : diagram.periods) text += "\n- " + period.text;
  return text + "\n";
}

std::string markdown_of(const Histogram&) { return ""; }  // its text has the figures

std::string markdown_of(const Levels&) { return ""; }  // the section lists them

std::string markdown_of(const Shares& shares) {
  double whole = 0;
  for (const auto& share : shares.shares) whole += shares.add_up ? share.second : 0;
  std::string text = "| part | " + shares.unit + " |" + (shares.add_up ? " share |" : "") +
                     "\n|---|---:|" + (shares.add_up ? "---:|" : "") + "\n";
  for (const auto& [name, value] : shares.shares) {
    std::vector<std::string> cells = {name, number_text(value)};
    if (shares.add_up) cells.push_back(share_text(value, whole));
    text += markdown_row(cells);
  }
  return text;
}

/// At whole decades of the rate.
std::string markdown_of(const Curves& curves) {
  std::vector<std::string> head = {curves.x};
  std::string rule = "|---:|";
  std::map<int, std::vector<std::string>> rows;
  for (std::size_t s = 0; s < curves.series.size(); ++s) {
    head.push_back(curves.series[s].name);
    rule += "---:|";
    for (const auto& [x, y] : curves.series[s].points) {
      const double decade = std::log10(x);
      if (std::abs(decade - std::round(decade)) > 1e-6) continue;
      std::vector<std::string>& row = rows[static_cast<int>(std::round(decade))];
      row.resize(curves.series.size() + 1, "0");
      row[0] = number_text(x);
      row[s + 1] = number_text(y);
    }
  }
  std::string text = markdown_row(head) + rule + "\n";
  for (const auto& [decade, row] : rows) text += markdown_row(row);
  return text;
}

}  // namespace axelram::commands::sheet
