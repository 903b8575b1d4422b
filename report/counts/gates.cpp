#include "counts/gates.hpp"

#include <cstdlib>
#include <fstream>
#include <map>
#include <vector>

#include "axelram/files/errors.hpp"
#include "axelram/report/operators.hpp"
#include "axelram/sim/tools.hpp"
#include "counts/counts.hpp"
#include "netlist/yosys.hpp"

namespace axelram::report {
namespace {

/// A unit of the macro whose gates are reported.
struct Unit {
  std::string name;      ///< of the lines
  std::string instance;  ///< in the generated RTL, once
  std::string does;
};

/// The units that quantizer, scale and exact tokens decide on.
std::vector<Unit> units_of(const files::Config& config) {
  const Parameters& p = config.parameters;
  const bool multiply = lanes_multiply(config);
  std::vector<Unit> units;
  if (p.split())
    return {{"key_part", "u_part", "norm, indices and packing of sub-vector 0"},
            {"second_key_part", "u_split_part", "the same of sub-vector 1"},
            {"lookup", "u_lookup", "levels and products of sub-vector 0"},
            {"second_part", "u_second_part", "the same of sub-vector 1, and its adder tree"},
            {"score_sum", "u_score_sum", "both terms of a score"}};
  if (!p.trellis()) units.push_back({"quantizer", "u_quantizer", "comparators of thresholds"});
  if (p.trellis())
    units.push_back({"trellis", "u_trellis", "nearest levels, search, survivors, trace back"});
  if (p.scale == ScaleKind::unbiased && !p.trellis())
    units.push_back({"correlation", "u_correlation", "A of an unbiased norm"});
  if (p.scale == ScaleKind::unbiased)
    units.push_back({"scale", "u_scale", "divider and rounding of an unbiased norm"});
  if (p.trellis()) units.push_back({"level", "u_level", "levels of read_lanes indices"});
  if (multiply)
    units.push_back({"score_multiplier", "u_score_multiplier", "multipliers of the read lanes"});
  else
    units.push_back({"score_table", "u_score_table", "multipliers and lookups"});
  if (p.prod()) {
    units.push_back({"second_pass", "u_second_pass", "residual, its signs, and the second pass"});
    units.push_back({"sign_sum", "u_sign_sum", "v, its total, and the sums of signs"});
    units.push_back({"score_sum", "u_score_sum", "both terms of a score"});
  }
  if (p.copies() != 0) {
    units.push_back({"copy_rounding", "u_copy_rounding", "rotated keys to copies"});
    units.push_back({"copies", "u_exact", "store and scores of exact tokens"});
  }
  return units;
}

constexpr const char* kElaborated = "elaborated.il";

/// Module of each instance in the elaborated RTL, by the last part of its name.
std::map<std::string, std::string> modules_of(const std::string& folder) {
  std::map<std::string, std::string> modules;
  std::ifstream elaborated(folder + "/" + kElaborated);
  for (std::string word; elaborated >> word;) {
    std::string module, instance;
    if (word != "cell" || !(elaborated >> module >> instance)) continue;
    const auto dot = instance.rfind('.');
    modules[instance.substr(dot == std::string::npos ? 1 : dot + 1)] = module;
  }
  return modules;
}

struct Cells {
  int gates = 0, flip_flops = 0, memories = 0;
};

/// Gates of two inputs, inverters, flip-flops and memories of a module with what is in it. The SRAM
/// is a box.
Cells cells_of(const std::string& folder, const Unit& unit, const std::string& module) {
  Cells cells;
  bool found = false, in_list = false;  // the last list of cells is that of the flat module
  YosysRun run = {.folder = folder, .script = {}, .subject = unit.instance};
  run.script = std::string("read_rtlil ") + kElaborated +
               "; blackbox *axelram_sram_1r1w*; hierarchy -top " + module +
               "; flatten; opt; memory -nomap; opt; techmap; opt;"
               " abc -fast -g AND,NAND,OR,NOR,XOR,XNOR; opt_clean; stat";
  run.line = [&](const std::string& line) {
    if (line.find("Number of cells:") != std::string::npos) {
      cells = {};
      found = in_list = true;
      return;
    }
    const auto at = line.find_first_not_of(' ');
    in_list = in_list && at != std::string::npos;
    if (!in_list) return;
    const auto end = line.find(' ', at);
    if (end == std::string::npos) return;
    const std::string kind = line.substr(at, end - at);
    const int number = std::atoi(line.c_str() + end);
    if (kind.rfind("$_", 0) != 0)
      cells.memories += number;
    else if (kind.find("FF") != std::string::npos)
      cells.flip_flops += number;
    else
      cells.gates += number;
  };
  run_yosys(run);
  if (!found)
    throw files::EnvironmentError(sim::tool_version(sim::kYosys) + " printed no cells of " +
                                  unit.instance);
  return cells;
}

}  // namespace

void add_gates(const files::Config& config, const Elaboration* elaboration, Lines* lines) {
  const std::vector<Unit> units = units_of(config);
  Section section(lines, "gates of units");
  if (elaboration == nullptr) {
    for (const Unit& unit : units) {
      section.missing(unit.name + "_gates", "gates", "--synthesize measures them");
      section.missing(unit.name + "_flip_flops", "bits", "--synthesize measures them");
    }
    return;
  }
  const std::map<std::string, std::string> modules = modules_of(elaboration->folder());
  for (const Unit& unit : units) {
    const auto module = modules.find(unit.instance);
    if (module == modules.end())
      throw files::EnvironmentError("the RTL has no instance " + unit.instance);
    const Cells cells = cells_of(elaboration->folder(), unit, module->second);
    const std::string beside =
        cells.memories == 0 ? "" : "; " + std::to_string(cells.memories) + " memories beside them";
    section.figure(
        unit.name + "_gates", cells.gates, "gates", Method::measured,
        unit.does + "; two-input gates and inverters (Yosys, abc -fast, no cell library)");
    section.figure(unit.name + "_flip_flops", cells.flip_flops, "bits", Method::measured,
                   "of the same module" + beside);
  }
}

}  // namespace axelram::report
