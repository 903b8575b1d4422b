#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "axelram/commands/datasheet.hpp"
#include "axelram/files/config.hpp"
#include "axelram/files/trace.hpp"

namespace axelram::commands::sheet {

/// What the sections of a datasheet are made of.
struct Facts {
  const files::Config& config;
  const std::optional<files::Trace>& trace;
  const std::vector<report::Line>& lines;
  const nlohmann::ordered_json& manifest;  ///< axelram.json of the generated RTL

  /// The line of a name. Throws std::logic_error if the report has none.
  const report::Line& line(const std::string& name) const;
  /// Null if the report has none.
  const report::Line* find(const std::string& name) const;
  /// Value of a line that has one, as text with its unit.
  std::string value(const std::string& name) const;
};

/// The number of a line as people read it; "n/a" without one.
std::string number_text(const report::Line& line);
std::string number_text(double value);
/// With four significant digits, for sentences.
std::string rough_text(double value);
/// "names of things" of a line's name: '_' becomes a space.
std::string spaced_name(std::string name);

std::string summary_of(const Facts& facts);
std::vector<Highlight> highlights_of(const Facts& facts);

BlockDiagram blocks_of(const Facts& facts);

Section structure_section(const Facts& facts);
Section configuration_section(const Facts& facts);
Section ports_section(const Facts& facts);
Section timing_section(const Facts& facts);
Section operators_section(const Facts& facts);
Section operations_section(const Facts& facts);
Section memory_section(const Facts& facts);
Section silicon_section(const Facts& facts);
Section accuracy_section(const Facts& facts);
Section protection_section(const Facts& facts);
Section constants_section(const Facts& facts);
Section token_section(const Facts& facts);
Section further_section(const Facts& facts);
Section provenance_section(const DatasheetResult& result);

/// The section of a datasheet that a line of the report stands in.
enum class Place {
  timing,
  operators,
  operations,
  memory,
  storage,
  silicon,
  accuracy,
  codes,
  token,
  further
};
Place place_of(const report::Line& line);

/// Lines of a place with the netlist beside them, one part for each section of the report. Lines of
/// the netlist that stand beside others are not repeated.
std::vector<Part> figures_at(const Facts& facts, Place place, bool netlist = false);

}  // namespace axelram::commands::sheet
