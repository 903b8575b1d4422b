#include <algorithm>
#include <map>

#include "sections.hpp"

namespace axelram::commands::sheet {
namespace {

void add_parts(const Facts& facts, Place place, bool netlist, Section* section) {
  for (Part& part : figures_at(facts, place, netlist)) section->parts.push_back(std::move(part));
}

/// Lines with a value above 0 to which `name_of` gives a name that is not empty, and that have the
/// unit of the first of them.
template <typename NameOf>
Shares shares_of(const Facts& facts, const NameOf& name_of) {
  Shares shares;
  for (const report::Line& line : facts.lines) {
    const std::string name = name_of(line);
    double value = 0;
    if (const auto* whole = std::get_if<std::uint64_t>(&line.value))
      value = static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&line.value)) value = *real;
    if (name.empty() || value <= 0) continue;
    if (!shares.unit.empty() && shares.unit != line.unit) continue;
    shares.unit = line.unit;
    shares.shares.emplace_back(name, value);
  }
  return shares;
}

/// Those of a place, in one of the units.
Shares shares_at(const Facts& facts, Place place, const std::vector<std::string>& units) {
  return shares_of(facts, [&](const report::Line& line) {
    const bool taken = place_of(line) == place && line.subject.empty() &&
                       std::find(units.begin(), units.end(), line.unit) != units.end();
    return taken ? spaced_name(line.name) : std::string();
  });
}

const std::string kOwnArea = "_own_area";  // in a diagram, and in no table

/// Adds a row for each module that a section of the report has, with its figures in the order of
/// the lines; without modules, nothing.
void add_modules(const Facts& facts, const std::string& title, const std::string& of_report,
                 Section* section) {
  Matrix matrix{title, "module", {}, {}};
  for (const report::Line& line : facts.lines) {
    if (line.section != of_report || line.name == line.subject + kOwnArea) continue;
    const std::string name = spaced_name(line.subject);
    if (matrix.rows.empty() || matrix.rows.back().name != name) matrix.rows.push_back({name, {}});
    if (matrix.rows.size() == 1)
      matrix.columns.push_back(spaced_name(line.name.substr(line.subject.size() + 1)));
    matrix.rows.back().figures.push_back(line);
  }
  if (!matrix.rows.empty()) section->parts.push_back(std::move(matrix));
}

/// The area of the cells in each module itself: together that of the macro.
Shares own_areas(const Facts& facts) {
  return shares_of(facts, [](const report::Line& line) {
    return line.name == line.subject + kOwnArea ? spaced_name(line.subject) : std::string();
  });
}

/// Names without what all of them end in.
void shorten(Shares* shares, const std::string& end) {
  for (auto& [name, value] : shares->shares)
    if (name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0)
      name.resize(name.size() - end.size());
}

void add_silicon_diagram(const Facts& facts, const std::string& title, const std::string& text,
                         const std::vector<std::string>& units, bool add_up, Section* section) {
  Shares shares = shares_at(facts, Place::silicon, units);
  if (shares.shares.size() < 2) return;
  shares.add_up = add_up;
  for (const char* end : {" gates", " area", " energy", " nand2"}) shorten(&shares, end);
  section->parts.push_back(Diagram{title, text, report::Method::measured, shares});
}

/// Bars of lines, by what they are called in a diagram.
void add_bars(const Facts& facts, const std::string& title, const std::string& text, bool add_up,
              const std::map<std::string, std::string>& names, Section* section) {
  Shares shares = shares_of(facts, [&](const report::Line& line) {
    const auto found = names.find(line.name);
    return found == names.end() ? std::string() : found->second;
  });
  shares.add_up = add_up;
  if (shares.shares.size() > 1)
    section->parts.push_back(Diagram{title, text, report::Method::estimated, shares});
}

}  // namespace

Section structure_section(const Facts& facts) {
  const Parameters& p = facts.config.parameters;
  std::string text =
      "A label on an arrow is what it carries: elements × bits in a cycle, or bits alone. Dashed "
      "arrows carry constants.";
  if (p.split()) text += " A double outline is two instances, one for each sub-vector.";
  if (p.prod())
    text += " Residuals of keys and rounded queries pass the network a second time, for the signs.";
  if (p.copies() != 0)
    text += " The multipliers of the table multiply the copies, too, once the table is built.";
  std::string products =
      "rounded and multiplied by each level, into a table. A score is a sum of entries of the "
      "table that the stored indices select.";
  if (facts.config.microarchitecture.score_lane == files::ScoreLane::half_table)
    products =
        "rounded and multiplied by each positive level, into a table. A score is a sum of entries "
        "of the table, or of their negatives, that the stored indices select.";
  if (facts.config.microarchitecture.score_lane == files::ScoreLane::multiplier)
    products =
        "and rounded. A score is a sum of their elements, each multiplied by the level that the "
        "stored index selects.";
  return {
      "structure",
      "Structure",
      text,
      {Diagram{"Block diagram",
               "Keys are aligned, rotated, quantized and stored. Queries are aligned, rotated, " +
                   products,
               report::Method::counted, blocks_of(facts)}}};
}

Section operators_section(const Facts& facts) {
  Section section{
      "operators",
      "Operators",
      "Arithmetic units of the hardware: by closed form, as the netlist has them, and in "
      "the paper.",
      {}};
  add_parts(facts, Place::operators, true, &section);
  return section;
}

Section operations_section(const Facts& facts) {
  Section section{
      "operations", "Operations", "Work for a key and for a query, whatever hardware does it.", {}};
  add_parts(facts, Place::operations, false, &section);
  return section;
}

Section memory_section(const Facts& facts) {
  Section section{
      "memory", "Memory and storage", "Memories of one macro, and of a model with many.", {}};
  add_parts(facts, Place::memory, false, &section);
  Shares rest = shares_at(facts, Place::storage, {"bits"});
  shorten(&rest, " bits");
  Shares whole{"bits", true, {{"key store", 0}, {"all else", 0}}};
  for (const auto& [name, bits] : rest.shares)
    whole.shares[name == "key store" ? 0 : 1].second += bits;
  std::erase_if(rest.shares, [](const auto& share) { return share.first == "key store"; });
  section.parts.push_back(Diagram{"Storage bits",
                                  "The key store and all other storage of the macro.",
                                  report::Method::counted, whole});
  section.parts.push_back(Diagram{"Storage bits without the key store",
                                  "Memories, delay lines and registers, by their bits.",
                                  report::Method::counted, rest});
  add_parts(facts, Place::storage, true, &section);
  return section;
}

Section silicon_section(const Facts& facts) {
  Section section{"silicon",
                  "Area and energy",
                  "Gates, area, energy and time of the circuit, as far as they are known.",
                  {}};
  if (const Shares areas = own_areas(facts); !areas.shares.empty())
    section.parts.push_back(Diagram{
        "Area", "Area of the cells of each module in um^2, without those of the modules in it.",
        report::Method::measured, areas});
  add_silicon_diagram(facts, "Gates", "Gates of each unit that was synthesized.",
                      {"gates", "nand2", "GE"}, true, &section);
  add_silicon_diagram(facts, "Energy", "Energy of each event.", {"pJ", "fJ", "nJ"}, false,
                      &section);
  add_parts(facts, Place::silicon, false, &section);
  add_modules(facts, "Cells of modules", "cells of modules", &section);
  return section;
}

Section token_section(const Facts& facts) {
  Section section{"token",
                  "A token",
                  "Macros, cycles, time and energy of one decoding step of a model, as far as they "
                  "are known.",
                  {}};
  add_bars(facts, "Energy of a token", "Cells and SRAMs of all macros: parts of one sum.", true,
           {{"token_logic_idle_energy", "idle cells"},
            {"token_logic_write_energy", "cells, new keys"},
            {"token_logic_read_energy", "cells, queries and scores"},
            {"token_sram_read_energy", "SRAM reads"},
            {"token_sram_write_energy", "SRAM writes"}},
           &section);
  add_bars(facts, "Energy of scores beside baselines",
           "Cells and SRAM reads of a token without its new keys.", false,
           {{"token_read_energy", "macro"},
            {"token_floats_read_energy", "FP16 keys"},
            {"token_dequantized_read_energy", "dequantize, then multiply"}},
           &section);
  add_parts(facts, Place::token, false, &section);
  add_modules(facts, "Activity of modules", "activity of modules", &section);
  return section;
}

Section further_section(const Facts& facts) {
  Section section{
      "further", "Further figures", "Figures of the report that belong to no section above.", {}};
  add_parts(facts, Place::further, false, &section);
  return section;
}

Section provenance_section(const DatasheetResult& result) {
  Section section{"provenance",
                  "Provenance",
                  "Where the figures come from. The same program, configuration and trace give the "
                  "same page, byte by byte.",
                  {}};
  Table methods{"Methods", {}, {{"method", false}, {"meaning", false}}, {}};
  for (const auto& row : EnumNames<report::Method>::rows)
    methods.rows.push_back({std::string(row.name), std::string(row.help)});
  section.parts.push_back(methods);
  Table inputs{
      "Inputs", {}, {{"input", false}, {"file", false, true}, {"SHA-256", false, true}}, {}};
  for (const Input& input : result.inputs)
    inputs.rows.push_back({input.role, input.name, input.sha256});
  section.parts.push_back(inputs);
  if (result.measured)
    section.parts.push_back(Table{"Cells",
                                  {},
                                  {{"", false}, {"", false, true}},
                                  {{"tools", result.measured->tools},
                                   {"library", result.measured->library},
                                   {"corner", result.measured->corner},
                                   {"RTL", result.measured->rtl}}});
  section.parts.push_back(Table{"Program",
                                {},
                                {{"", false}, {"", false, true}},
                                {{"version", "axelram " + result.version},
                                 {"commit", result.commit.empty() ? "not known" : result.commit}}});
  return section;
}

}  // namespace axelram::commands::sheet
