#include <algorithm>

#include "markdown_diagrams.hpp"
#include "sections.hpp"

namespace axelram::commands {
namespace {

using namespace sheet;

std::string heading(const std::string& title) {
  return title.empty() ? "" : "### " + title + "\n\n";
}

std::string paper_text(const report::Line& line) {
  return line.paper ? number_text(*line.paper) : "";
}

std::string markdown_part(const Figures& part) {
  const bool paper =
      std::any_of(part.figures.begin(), part.figures.end(),
                  [](const Figure& figure) { return figure.line.paper.has_value(); });
  std::vector<std::string> head = {"figure", "value", "unit", "method"};
  std::string rule = "|---|---:|---|---|";
  if (part.netlist) head.emplace_back("netlist"), rule += "---:|";
  if (paper) head.emplace_back("paper"), rule += "---:|";
  head.emplace_back("note");
  std::string text = heading(part.title) + markdown_row(head) + rule + "---|\n";
  for (const Figure& figure : part.figures) {
    const report::Line& line = figure.line;
    std::vector<std::string> cells = {"`" + line.name + "`", number_text(line), line.unit,
                                      name_of(line.method)};
    if (part.netlist) cells.push_back(figure.netlist ? number_text(*figure.netlist) : "n/a");
    if (paper) cells.push_back(paper_text(line));
    cells.push_back(line.note);
    text += markdown_row(cells);
  }
  return text;
}

std::string markdown_part(const Matrix& part) {
  std::vector<std::string> head = {part.what};
  head.insert(head.end(), part.columns.begin(), part.columns.end());
  std::string rule = "|---|";
  for (std::size_t i = 0; i < part.columns.size(); ++i) rule += "---:|";
  std::string text = heading(part.title) + markdown_row(head) + rule + "\n";
  for (const Matrix::Row& row : part.rows) {
    std::vector<std::string> cells = {row.name};
    for (const report::Line& line : row.figures)
      cells.push_back(number_text(line) +
                      (line.method == report::Method::not_available ? "" : " " + line.unit));
    text += markdown_row(cells);
  }
  return text;
}

std::string markdown_part(const Table& part) {
  std::vector<std::string> head;
  std::string rule = "|";
  for (const Table::Column& column : part.columns) {
    head.push_back(column.title);
    rule += column.number ? "---:|" : "---|";
  }
  std::string text = heading(part.title) + markdown_row(head) + rule + "\n";
  for (const std::vector<std::string>& row : part.rows) {
    std::vector<std::string> cells = row;
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (part.columns[i].code && !cells[i].empty()) cells[i] = "`" + cells[i] + "`";
    text += markdown_row(cells);
  }
  if (part.method) text += "\nMethod: " + name_of(*part.method) + ".\n";
  return text;
}

std::string markdown_part(const Diagram& part) {
  const std::string data = std::visit([](const auto& one) { return markdown_of(one); }, part.data);
  return heading(part.title) + part.text + " Method: " + name_of(part.method) + ".\n" +
         (data.empty() ? "" : "\n" + data);
}

}  // namespace

std::string to_markdown(const DatasheetResult& result) {
  std::string text = "# " + result.configuration + "\n\n" + result.summary + "\n\n";
  for (const Highlight& highlight : result.highlights)
    text += "- " + number_text(highlight.line) + " " + highlight.line.unit + " " + highlight.label +
            " (" + name_of(highlight.line.method) + ")\n";
  text += "\nContents:\n\n";
  for (const Section& section : result.sections)
    text += "- [" + section.title + "](#" + section.id + ")\n";
  for (const Section& section : result.sections) {
    text +=
        "\n<a id=\"" + section.id + "\"></a>\n\n## " + section.title + "\n\n" + section.text + "\n";
    for (const Part& part : section.parts)
      text += "\n" + std::visit([](const auto& one) { return markdown_part(one); }, part);
  }
  return text;
}

}  // namespace axelram::commands
