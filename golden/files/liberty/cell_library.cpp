#include "axelram/files/cell_library.hpp"

#include <cmath>
#include <filesystem>

#include "axelram/files/errors.hpp"
#include "axelram/files/lef.hpp"
#include "axelram/files/liberty.hpp"
#include "axelram/files/messages.hpp"
#include "axelram/files/sha256.hpp"
#include "corner.hpp"
#include "disk/input_file.hpp"

namespace axelram::files {
namespace {

using Table = std::vector<bool>;

/// A cell of one output that is a function of its inputs.
struct Gate {
  std::vector<std::string> inputs;
  std::string output;
  Table table;
};

std::optional<Gate> gate_of(const LibertyGroup& cell) {
  Gate gate;
  std::string function;
  int outputs = 0;
  for (const LibertyGroup& pin : cell.groups) {
    if (pin.kind == "bus" || pin.kind == "bundle" || pin.kind == "ff" || pin.kind == "latch")
      return {};
    if (pin.kind != "pin" || pin.arguments.empty()) continue;
    if (pin.text("direction") == "input") gate.inputs.push_back(pin.arguments.front());
    if (pin.text("direction") != "output") continue;
    if (!pin.text("three_state").empty()) return {};
    gate.output = pin.arguments.front();
    function = pin.text("function");
    ++outputs;
  }
  const auto table = truth_table(function, gate.inputs);
  if (outputs != 1 || !table) return {};
  gate.table = *table;
  return gate;
}

/// The name of the pin in a clock's expression: "CLK", "(!CLK)".
std::string pin_of(const std::string& expression) {
  std::string name;
  for (const char c : expression)
    if (std::string_view("!'() ").find(c) == std::string_view::npos) name += c;
  return name;
}

/// True if the expression is the name and nothing else.
bool is_just(const std::string& expression, const std::string& name) {
  return truth_table(expression, {name}) == Table{false, true};
}

/// A latch without inputs beside data and enable, and so without clear and preset.
std::optional<LatchCell> latch_of(const LibertyGroup& cell) {
  const LibertyGroup& state = *cell.group("latch");
  LatchCell latch{cell.arguments.front(), pin_of(state.text("data_in")),
                  pin_of(state.text("enable")), "", true};
  latch.high = is_just(state.text("enable"), latch.enable);
  if (!latch.high && truth_table(state.text("enable"), {latch.enable}) != Table{true, false})
    return {};
  if (state.arguments.empty() || !is_just(state.text("data_in"), latch.data)) return {};
  for (const LibertyGroup& pin : cell.groups) {
    if (pin.kind == "bus" || pin.kind == "bundle") return {};
    if (pin.kind != "pin" || pin.arguments.empty()) continue;
    const std::string& name = pin.arguments.front();
    if (pin.text("direction") == "input" && name != latch.data && name != latch.enable) return {};
    if (pin.text("direction") == "output" && pin.text("three_state").empty() &&
        is_just(pin.text("function"), state.arguments.front()))
      latch.output = name;
  }
  if (latch.output.empty()) return {};
  return latch;
}

bool excluded(const LibertyGroup& cell) {
  return cell.text("dont_use") == "true" || cell.text("dont_touch") == "true";
}

/// Cells of one function, the smallest first; without areas, in the order of the file.
using Kind = std::multimap<double, BufferCell>;

void require(const Kind& kind, const char* name, const LibertyGroup& library,
             const std::string& origin) {
  if (kind.empty())
    fail_at(origin, library.line, std::string("no ") + name + "; a library to map to has one");
}

/// Areas of cells, > 0: of the Liberty file, and, if both files have the same areas, of the LEF
/// file.
void read_areas(const LibertyGroup& library, const std::string& origin,
                const std::optional<LefText>& lef, CellLibrary* result) {
  std::map<std::string, double> sizes;
  if (lef)
    for (const LefMacro& macro : parse_lef(lef->text, lef->origin))
      sizes[macro.name] = macro.width * macro.height;
  std::set<std::string> missing;
  int equal = 0, different = 0;
  for (const LibertyGroup& cell : library.groups) {
    if (cell.kind != "cell" || cell.arguments.empty()) continue;
    const std::string& name = cell.arguments.front();
    const LibertyAttribute* const stated = cell.find("area");
    const double area = stated == nullptr ? 0 : liberty_number(*stated, origin);
    if (area > 0) result->areas[name] = area;
    const auto size = sizes.find(name);
    if (size == sizes.end() || size->second <= 0) continue;
    if (area > 0)
      ++(std::abs(area - size->second) <= 0.01 * area ? equal : different);
    else
      missing.insert(name);
  }
  if (missing.empty() || equal <= different) return;
  for (const std::string& name : missing) result->areas[name] = sizes[name];
  result->sized = missing;
  result->lef = provenance_of(lef->origin, lef->text);
}

/// The operating conditions that `corner` names, or the library's own; empty if it has none.
std::string conditions_of(const LibertyGroup& library, const std::string& corner,
                          const std::string& origin) {
  std::vector<std::string> names;
  for (const LibertyGroup& group : library.groups)
    if (group.kind == "operating_conditions" && !group.arguments.empty())
      names.push_back(group.arguments.front());
  if (corner.empty()) {
    const std::string own = library.text("default_operating_conditions");
    return own.empty() && names.size() == 1 ? names.front() : own;
  }
  for (const std::string& name : names)
    if (name == corner) return name;
  if (names.empty())
    throw InputError(origin + ": no operating_conditions, but the corner " + in_quotes(corner) +
                     " is asked for; leave --corner out");
  throw InputError(origin + ": no operating_conditions " + in_quotes(corner) +
                   "; --corner must be " + any_of(names));
}

}  // namespace

CellLibrary parse_cell_library(const std::string& text, const std::string& origin,
                               const std::string& corner, const std::optional<LefText>& lef) {
  const LibertyGroup library = parse_liberty(text, origin);
  CellLibrary result;
  result.digest = sha256(text);
  result.source = provenance_of(origin, text);
  result.conditions = conditions_of(library, corner, origin);
  result.corner = corner_in_words(library, result.conditions);

  read_areas(library, origin, lef, &result);

  Kind inverters, buffers, nands;
  std::multimap<double, LatchCell> latches;
  for (const LibertyGroup& cell : library.groups) {
    if (cell.kind != "cell" || cell.arguments.empty()) continue;
    const std::string& name = cell.arguments.front();
    const auto known = result.areas.find(name);
    const double area = known == result.areas.end() ? 0 : known->second;
    if (const LibertyGroup* const ff = cell.group("ff"))
      result.flip_flops[name] = pin_of(ff->text("clocked_on"));
    if (const LibertyGroup* const latch = cell.group("latch"))
      result.latches[name] = pin_of(latch->text("enable"));
    if (excluded(cell)) continue;
    if (result.latches.count(name) != 0)
      if (const std::optional<LatchCell> latch = latch_of(cell)) latches.insert({area, *latch});
    const std::optional<Gate> gate = gate_of(cell);
    if (!gate) continue;
    const auto add = [&](Kind* kind, const Table& table) {
      if (gate->table == table) kind->insert({area, {name, gate->inputs.front(), gate->output}});
    };
    add(&inverters, {true, false});
    add(&buffers, {false, true});
    add(&nands, {true, true, true, false});
  }
  require(inverters, "inverter", library, origin);
  require(buffers, "buffer", library, origin);
  require(nands, "NAND of two inputs", library, origin);
  if (result.flip_flops.empty())
    fail_at(origin, library.line, "no cell with an ff group; a library to map to has flip-flops");
  if (!latches.empty()) result.latch = latches.begin()->second;
  result.nand2 = nands.begin()->second.name;
  result.buffer = buffers.begin()->second;
  const auto larger = buffers.upper_bound(buffers.begin()->first);
  result.tree_buffer = larger == buffers.end() ? result.buffer : larger->second;
  return result;
}

CellLibrary read_cell_library(const std::string& path, const std::string& corner) {
  std::filesystem::path beside = path;
  std::optional<LefText> lef;
  if (beside.extension() == ".lib" && std::filesystem::exists(beside.replace_extension(".lef")))
    lef = {text_of_file(beside.string(), kMaxLefBytes), printable(beside.string())};
  return parse_cell_library(text_of_file(path, kMaxLibertyBytes), printable(path), corner, lef);
}

}  // namespace axelram::files
