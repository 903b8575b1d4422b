#include "../json.hpp"
#include "axelram/commands/datasheet.hpp"

namespace axelram::commands {
namespace {

using namespace sheet;

/// As `axelram report --json` has it.
Json line_json(const report::Line& line) {
  Json value;
  if (const auto* whole = std::get_if<std::uint64_t>(&line.value)) value = *whole;
  if (const auto* real = std::get_if<double>(&line.value)) value = *real;
  return {{"name", line.name},
          {"value", value},
          {"unit", line.unit},
          {"method", name_of(line.method)},
          {"paper", or_null(line.paper)},
          {"note", line.note}};
}

Json figure_json(const Figure& figure) {
  Json json = line_json(figure.line);
  if (figure.netlist) json["netlist"] = line_json(*figure.netlist);
  return json;
}

Json data_json(const BlockDiagram& diagram) {
  Json blocks = Json::array(), links = Json::array();
  for (const Block& block : diagram.blocks)
    blocks.push_back({{"id", block.id},
                      {"name", block.name},
                      {"lines", block.lines},
                      {"kind", block.kind == Block::Kind::port     ? "port"
                               : block.kind == Block::Kind::memory ? "memory"
                                                                   : "unit"},
                      {"instances", block.instances}});
  for (const Link& link : diagram.links)
    links.push_back({{"from", link.from},
                     {"to", link.to},
                     {"label", link.label},
                     {"flow", link.flow == Link::Flow::key     ? "key"
                              : link.flow == Link::Flow::query ? "query"
                              : link.flow == Link::Flow::both  ? "both"
                                                               : "constant"}});
  return {{"kind", "blocks"}, {"blocks", blocks}, {"links", links}};
}

Json data_json(const sim::TimingDiagram& diagram) {
  Json signals = Json::array(), periods = Json::array();
  for (const sim::Signal& signal : diagram.signals) {
    Json spans = Json::array();
    for (const sim::Span& span : signal.spans) spans.push_back({span.first, span.last, span.value});
    signals.push_back({{"name", signal.name}, {"bit", signal.bit}, {"spans", spans}});
  }
  for (const sim::Period& period : diagram.periods)
    periods.push_back({{"from", period.from}, {"to", period.to}, {"text", period.text}});
  return {
      {"kind", "timing"}, {"cycles", diagram.cycles}, {"signals", signals}, {"periods", periods}};
}

Json data_json(const Histogram& histogram) {
  const report::ScoreErrors& errors = histogram.errors;
  return {{"kind", "histogram"},
          {"pairs", errors.pairs},
          {"mean", errors.mean},
          {"standard_deviation", errors.standard_deviation},
          {"largest", errors.largest},
          {"outside", errors.outside},
          {"width", errors.width},
          {"counts", errors.counts},
          {"theory", or_null(histogram.theory)}};
}

Json data_json(const Levels& levels) {
  Json figures = Json::array();
  for (const report::Line& line : levels.figures) figures.push_back(line_json(line));
  return {{"kind", "levels"}, {"figures", figures}};
}

Json data_json(const Shares& shares) {
  Json list = Json::array();
  for (const auto& [name, value] : shares.shares)
    list.push_back({{"name", name}, {"value", value}});
  return {{"kind", shares.add_up ? "areas" : "bars"}, {"unit", shares.unit}, {"shares", list}};
}

Json data_json(const Curves& curves) {
  Json series = Json::array();
  for (const Curves::Series& one : curves.series)
    series.push_back({{"name", one.name}, {"points", one.points}});
  return {{"kind", "curves"}, {"x", curves.x}, {"y", curves.y}, {"series", series}};
}

Json part_json(const Figures& part) {
  Json figures = Json::array();
  for (const Figure& figure : part.figures) figures.push_back(figure_json(figure));
  return {
      {"part", "figures"}, {"title", part.title}, {"netlist", part.netlist}, {"figures", figures}};
}

Json part_json(const Matrix& part) {
  Json rows = Json::array();
  for (const Matrix::Row& row : part.rows) {
    Json figures = Json::array();
    for (const report::Line& line : row.figures) figures.push_back(line_json(line));
    rows.push_back({{"name", row.name}, {"figures", figures}});
  }
  return {{"part", "matrix"},
          {"title", part.title},
          {"what", part.what},
          {"columns", part.columns},
          {"rows", rows}};
}

Json part_json(const Table& part) {
  Json columns = Json::array();
  for (const Table::Column& column : part.columns)
    columns.push_back({{"title", column.title}, {"number", column.number}, {"code", column.code}});
  return {{"part", "table"},
          {"title", part.title},
          {"method", part.method ? Json(name_of(*part.method)) : Json()},
          {"columns", columns},
          {"rows", part.rows}};
}

Json part_json(const Diagram& part) {
  Json json = {{"part", "diagram"},
               {"title", part.title},
               {"text", part.text},
               {"method", name_of(part.method)}};
  json.update(std::visit([](const auto& data) { return data_json(data); }, part.data));
  return json;
}

}  // namespace

std::string to_json(const DatasheetResult& result) {
  Json highlights = Json::array(), sections = Json::array(), inputs = Json::array();
  for (const Highlight& highlight : result.highlights)
    highlights.push_back({{"label", highlight.label}, {"figure", line_json(highlight.line)}});
  for (const Section& section : result.sections) {
    Json parts = Json::array();
    for (const Part& part : section.parts)
      parts.push_back(std::visit([](const auto& one) { return part_json(one); }, part));
    sections.push_back(
        {{"id", section.id}, {"title", section.title}, {"text", section.text}, {"parts", parts}});
  }
  for (const Input& input : result.inputs)
    inputs.push_back({{"role", input.role}, {"file", input.name}, {"sha256", input.sha256}});
  return text_of({{"configuration", result.configuration},
                  {"top", result.top},
                  {"summary", result.summary},
                  {"highlights", highlights},
                  {"sections", sections},
                  {"version", result.version},
                  {"commit", or_null(result.commit)},
                  {"inputs", inputs}});
}

}  // namespace axelram::commands
