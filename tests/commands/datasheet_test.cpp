#include "axelram/commands/datasheet.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "axelram/files/config_keys.hpp"
#include "axelram/rtl/layout.hpp"
#include "check.hpp"
#include "datasheet/sections.hpp"
#include "files/support.hpp"

using namespace axelram;
using namespace axelram::commands::sheet;

namespace {

using SheetJson = nlohmann::ordered_json;
using test::contains;

const std::vector<std::string> kSheetConfigs = {"d32-b3",
                                                "d32-b3-folded",
                                                "d32-b3-golay24",
                                                "d32-b2-prod-folded",
                                                "d32-split31-trellis-folded",
                                                "d32-b3-exact-folded",
                                                "d128-b3-center"};

std::string config_path(const std::string& name) {
  return AXELRAM_SOURCE "/configs/" + name + ".yaml";
}

struct Sheet {
  files::Config config;
  commands::DatasheetResult result;
  SheetJson json;
  std::string markdown;
};

Sheet sheet_of(const std::string& name) {
  const test::TemporaryFolder folder;
  const std::string json = folder / "facts.json", markdown = folder / "facts.md";
  commands::DatasheetResult result =
      commands::datasheet({config_path(name), "", "", json, markdown, {}});
  return {files::read_config(config_path(name)), std::move(result),
          SheetJson::parse(test::content(json)), test::content(markdown)};
}

const Section& section_of(const commands::DatasheetResult& result, const std::string& id) {
  for (const Section& section : result.sections)
    if (section.id == id) return section;
  FAIL("no section ", id);
  return result.sections.front();
}

/// Every line of the report that the sheet shows, with the lines of the netlist beside others.
std::vector<SheetJson> figures_in(const SheetJson& sheet) {
  std::vector<SheetJson> figures;
  for (const SheetJson& section : sheet["sections"])
    for (const SheetJson& part : section["parts"]) {
      if (part["part"] == "figures")
        for (SheetJson figure : part["figures"]) {
          if (figure.contains("netlist")) figures.push_back(figure["netlist"]);
          figure.erase("netlist");
          figures.push_back(figure);
        }
      if (part["part"] == "matrix")
        for (const SheetJson& row : part["rows"])
          for (const SheetJson& figure : row["figures"]) figures.push_back(figure);
    }
  return figures;
}

const BlockDiagram& block_diagram_of(const commands::DatasheetResult& result) {
  const Section& section = section_of(result, "structure");
  return std::get<BlockDiagram>(std::get<Diagram>(section.parts[0]).data);
}

std::set<std::string> block_ids(const BlockDiagram& diagram) {
  std::set<std::string> ids;
  for (const Block& block : diagram.blocks) CHECK_AT(block.id, ids.insert(block.id).second);
  return ids;
}

std::map<std::string, std::vector<std::string>> rows_of(const Part& part) {
  std::map<std::string, std::vector<std::string>> rows;
  for (const std::vector<std::string>& row : std::get<Table>(part).rows) rows[row[0]] = row;
  return rows;
}

report::Line made_line(const std::string& name, double value, const std::string& unit,
                       const std::string& section) {
  return {section, name, value, unit, report::Method::estimated, {}, "a note"};
}

}  // namespace

TEST_CASE("a datasheet has every line of the report once, as the report has it") {
  for (const std::string& name : kSheetConfigs) {
    CASE(name);
    const Sheet sheet = sheet_of(name);
    std::map<std::string, SheetJson> shown;
    for (const SheetJson& figure : figures_in(sheet.json))
      CHECK_AT(figure.dump(), shown.emplace(figure["name"], figure).second);
    const SheetJson report =
        SheetJson::parse(report::json(report::report(sheet.config, std::nullopt)));
    CHECK(shown.size() == report.size());
    for (const SheetJson& line : report) CHECK_AT(line.dump(), shown[line["name"]] == line);
    for (const SheetJson& highlight : sheet.json["highlights"])
      CHECK_AT(highlight, highlight["figure"] == shown[highlight["figure"]["name"]]);
  }
}

TEST_CASE("the Markdown of a datasheet has the same figures") {
  const Sheet sheet = sheet_of("d32-b3-golay24");
  for (const Section& section : sheet.result.sections) {
    CASE(section.title);
    CHECK(contains(sheet.markdown, "\n## " + section.title + "\n"));
    for (const Part& part : section.parts) {
      CASE(part.index());
      if (const auto* group = std::get_if<Figures>(&part))
        for (const Figure& figure : group->figures)
          CHECK_AT(figure.line.name,
                   contains(sheet.markdown,
                            "\n| `" + figure.line.name + "` | " + number_text(figure.line) + " | " +
                                figure.line.unit + " | " + name_of(figure.line.method) + " |"));
    }
  }
  CHECK(contains(sheet.markdown, "| 4 | 0 % | 100 % | 0 % |\n"));  // wrong bits of Golay's code
  CHECK(contains(sheet.markdown, "\nvector_valid_i "));
}

TEST_CASE("a block diagram has the blocks of its configuration, and no others") {
  for (const std::string& name : kSheetConfigs) {
    CASE(name);
    const Sheet sheet = sheet_of(name);
    const Parameters& p = sheet.config.parameters;
    const bool coded = sheet.config.ecc.code != "none";
    const BlockDiagram& diagram = block_diagram_of(sheet.result);
    const std::set<std::string> ids = block_ids(diagram);
    const std::map<std::string, bool> expected = {{"store", true},
                                                  {"scores", true},
                                                  {"levels", p.trellis()},
                                                  {"residual", p.prod()},
                                                  {"encoder", coded},
                                                  {"decoder", coded},
                                                  {"align_rom", p.centered || p.balanced},
                                                  {"copies", p.copies() != 0},
                                                  {"scale", p.scale == ScaleKind::unbiased}};
    for (const auto& [id, present] : expected) CHECK_AT(id, ids.count(id) == (present ? 1 : 0));
    for (const Link& link : diagram.links) {
      CASE(link.from, link.to);
      CHECK(ids.count(link.from) == 1);
      CHECK(ids.count(link.to) == 1);
    }
    for (const Block& block : diagram.blocks) {
      CASE(block.id);
      if (block.id == "norm" || block.id == "lookups")
        CHECK(block.instances == (p.split() ? 2 : 1));
    }
  }
  const Sheet paper = sheet_of("paper-d128-b3");
  const auto carries = [&](const std::string& from, const std::string& to) {
    for (const Link& link : block_diagram_of(paper.result).links)
      if (link.from == from && link.to == to) return link.label;
    return std::string("no such arrow");
  };
  CHECK(carries("stream", "align") == "128 × 16");
  CHECK(carries("hadamard", "delay") == "128 × 23");
  CHECK(carries("quantizer", "record") == "128 × 3");
  CHECK(carries("record", "store") == "400");
  CHECK(carries("lookups", "score") == "22");
}

TEST_CASE("the configuration of a datasheet has every key and says which are set") {
  const Sheet sheet = sheet_of("d32-b3-golay24");
  const auto rows = rows_of(section_of(sheet.result, "configuration").parts[0]);
  CHECK(rows.size() == files::config_keys().size());
  const std::map<std::string, std::pair<std::string, std::string>> expected = {
      {"macro.name", {"d32-b3-golay24", "default"}},
      {"macro.head_dim", {"32", "set"}},
      {"macro.index_bits", {"3", "default"}},
      {"microarchitecture.key_lanes", {"32", "default"}},
      {"rotation.seed", {"42", "default"}},
      {"rotation.center", {"–", "absent"}},
      {"ecc.code", {"golay24", "set"}}};
  for (const auto& [key, value] : expected) {
    CASE(key);
    CHECK(rows.at(key)[1] == value.first);
    CHECK(rows.at(key)[2] == value.second);
  }
}

TEST_CASE("ports, widths and latencies of a datasheet are those of the generated RTL") {
  const Sheet sheet = sheet_of("d32-b2-prod-folded");
  const rtl::Layout layout(sheet.config);
  const std::vector<rtl::Port> ports = rtl::ports(sheet.config, layout);
  const auto rows = rows_of(section_of(sheet.result, "ports").parts[0]);
  CHECK(rows.size() == ports.size());
  for (const rtl::Port& port : ports) {
    CASE(port.name);
    CHECK(rows.at(port.name)[1] == (port.input ? "input" : "output"));
    CHECK(rows.at(port.name)[2] == std::to_string(port.width) + (port.is_signed ? ", signed" : ""));
    CHECK(rows.at(port.name)[3] == port.meaning);
  }
  const auto latencies = rows_of(section_of(sheet.result, "timing").parts.back());
  CHECK(latencies.at("score after read")[1] == std::to_string(layout.read_latency));
  const auto widths = rows_of(section_of(sheet.result, "constants").parts.back());
  CHECK(widths.at("stored record")[1] == std::to_string(layout.stored_bits));
}

TEST_CASE("what a code promises") {
  const auto promises =
      rows_of(section_of(sheet_of("d32-b3-golay24").result, "protection").parts[0]);
  CHECK(promises.at("minimum distance")[1] == "8");
  CHECK(promises.at("corrects")[1] == "every error of up to 3 wrong bits of a word");
  CHECK(promises.at("detects")[1] == "every error of 4 wrong bits");
  const auto perfect =
      rows_of(section_of(sheet_of("d32-b3-hamming74").result, "protection").parts[0]);
  CHECK(perfect.at("minimum distance")[1] == "3");
  CHECK(perfect.at("detects")[1] == "no error of 2 wrong bits");
  const auto hsiao = section_of(sheet_of("d32-b3-hsiao39").result, "protection").parts;
  CHECK(rows_of(hsiao[0]).at("detects")[1] == "every error of 2 wrong bits");
  for (const auto& [weight, row] : rows_of(hsiao[1])) {
    CASE(weight, row);
    CHECK(row.size() == 4);
  }
  // Without a code there is nothing but what each would cost.
  CHECK(section_of(sheet_of("d32-b3").result, "protection").parts.size() == 1);
}

TEST_CASE("lines of area, energy and netlists take their places by unit and name") {
  std::vector<report::Line> lines = {made_line("key_store_area", 0.25, "mm²", "key store"),
                                     made_line("area", 4, "um^2", "cells"),
                                     made_line("read_energy", 3.5, "pJ", "energy"),
                                     made_line("write_energy", 7.5, "pJ", "energy"),
                                     made_line("logic", 1200, "nand2", "logic"),
                                     made_line("adders_in_hardware", 127, "adders", "units"),
                                     made_line("adders_in_netlist", 128, "adders", "netlist"),
                                     made_line("strangers_in_netlist", 2, "cells", "netlist"),
                                     made_line("table_bits", 64, "bits", "storage"),
                                     made_line("table_bits_in_netlist", 64, "bits", "netlist")};
  for (const char* module : {"score", "rom"})
    for (const auto& [figure, value] : {std::pair("cells", 7.0), std::pair("own_area", 2.0)}) {
      lines.push_back(
          made_line(std::string(module) + "_" + figure, value, "um^2", "cells of modules"));
      lines.back().subject = module;
    }
  for (const char* figure : {"score_write_activity", "score_query_activity"}) {
    lines.push_back(made_line(figure, 0.1, "toggles", "activity of modules"));
    lines.back().subject = "score";
  }
  for (std::size_t i = 0; i < 5; ++i) CHECK_AT(i, place_of(lines[i]) == Place::silicon);
  CHECK(place_of(made_line("token_sram_read_energy", 1, "uJ", "a token")) == Place::token);
  const files::Config config;
  const std::optional<files::Trace> trace;
  const SheetJson manifest;
  const Facts facts{config, trace, lines, manifest};
  const std::vector<Part> operators = figures_at(facts, Place::operators, true);
  REQUIRE(operators.size() == 2);
  const Figure& adders = std::get<Figures>(operators[0]).figures[0];
  REQUIRE(adders.netlist.has_value());
  CHECK(adders.netlist->name == "adders_in_netlist");
  CHECK(std::get<Figures>(operators[1]).figures.size() == 1);
  CHECK(std::get<Figures>(operators[1]).figures[0].line.name == "strangers_in_netlist");
  const std::vector<Part> storage = figures_at(facts, Place::storage, true);
  CHECK(std::get<Figures>(storage[0]).figures[0].netlist->name == "table_bits_in_netlist");

  const Section silicon = silicon_section(facts);
  REQUIRE(silicon.parts.size() == 7);  // two diagrams, four groups of lines, and the modules
  const auto& area = std::get<Shares>(std::get<Diagram>(silicon.parts[0]).data);
  CHECK(area.add_up);
  CHECK_SAME(area.shares, std::vector<std::pair<std::string, double>>{{"score", 2}, {"rom", 2}});
  const auto& energy = std::get<Shares>(std::get<Diagram>(silicon.parts[1]).data);
  CHECK(!energy.add_up);
  CHECK(energy.shares.size() == 2);
  const auto& modules = std::get<Matrix>(silicon.parts.back());
  CHECK_SAME(modules.columns, std::vector<std::string>{"cells"});
  REQUIRE(modules.rows.size() == 2);
  CHECK(modules.rows[1].name == "rom");
  CHECK(modules.rows[1].figures[0].name == "rom_cells");
  for (const auto& row : modules.rows)
    CHECK_AT(row.name, row.figures.size() == modules.columns.size());
  const auto token = token_section(facts);
  const auto& activity = std::get<Matrix>(token.parts.back());
  CHECK_SAME(activity.columns, std::vector<std::string>{"write activity", "query activity"});
  REQUIRE(activity.rows.size() == 1);
  CHECK(activity.rows[0].figures.size() == 2);
}

TEST_CASE("energy of a token: parts of a sum, and totals beside baselines") {
  std::vector<report::Line> lines = {made_line("token_macros", 4, "macros", "a token"),
                                     made_line("token_logic_idle_energy", 5, "uJ", "a token"),
                                     made_line("token_sram_read_energy", 3, "uJ", "a token"),
                                     made_line("token_read_energy", 8, "uJ", "a token")};
  const files::Config config;
  const std::optional<files::Trace> trace;
  const SheetJson manifest;
  const auto diagrams = [&] {
    std::vector<Shares> found;
    const Section section = token_section(Facts{config, trace, lines, manifest});
    for (const Part& part : section.parts) {
      CASE(part.index());
      if (const auto* diagram = std::get_if<Diagram>(&part)) {
        CHECK(diagram->method == report::Method::estimated);
        found.push_back(std::get<Shares>(diagram->data));
      }
    }
    return found;
  };
  REQUIRE(diagrams().size() == 1);  // nothing to compare the total with
  CHECK(diagrams()[0].add_up);
  CHECK(diagrams()[0].unit == "uJ");
  CHECK_SAME(diagrams()[0].shares,
             std::vector<std::pair<std::string, double>>{{"idle cells", 5}, {"SRAM reads", 3}});
  lines.push_back(made_line("token_floats_read_energy", 9, "uJ", "a token"));
  REQUIRE(diagrams().size() == 2);
  CHECK(!diagrams()[1].add_up);
  CHECK_SAME(diagrams()[1].shares,
             std::vector<std::pair<std::string, double>>{{"macro", 8}, {"FP16 keys", 9}});
  lines.resize(2);
  CHECK(diagrams().empty());
}

TEST_CASE("a datasheet states its inputs by their digests") {
  const Sheet sheet = sheet_of("d128-b3-center");
  REQUIRE(sheet.result.inputs.size() == 2);
  CHECK(sheet.result.inputs[0].name == "d128-b3-center.yaml");
  CHECK(sheet.result.inputs[1].role == "center");
  for (const Input& input : sheet.result.inputs) CHECK_AT(input.name, input.sha256.size() == 64);
  CHECK(!sheet.json["version"].get<std::string>().empty());
}
